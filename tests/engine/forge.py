"""A git forge on the loopback: https://git.example.test, which only programs that go through its proxy see.

`pulumi package add` takes git over https alone and, in 3.274.1, no URL with a port; hence the proxy, which answers for the host itself.
"""

from __future__ import annotations

import http.server
import os
import shutil
import ssl
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from support import lacking

HOST = "git.example.test"
AUTHOR = {f"GIT_{role}_{word}": "test" for role in ("AUTHOR", "COMMITTER") for word in ("NAME", "EMAIL")}


class Forge:
    """Serves the bare repositories below a folder. A context manager.

    Attributes:
        environment: by which programs find it.
    """

    def __init__(self, root: Path) -> None:
        for program in ("git", "openssl"):
            if shutil.which(program) is None:
                lacking(f"there is no {program} on PATH")
        self._root = root
        key, certificate = root / "key.pem", root / "certificate.pem"
        root.mkdir()
        made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate]
        made += ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
        subprocess.run(made, check=True, capture_output=True, timeout=60)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(root, context))
        proxy = f"http://127.0.0.1:{self._server.server_port}"
        self.environment: Mapping[str, str] = {"HTTPS_PROXY": proxy, "NO_PROXY": "127.0.0.1,localhost", "SSL_CERT_FILE": str(certificate)}

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def publish(self, folder: Path, name: str, tag: str) -> str:
        """Make a repository `name` (OWNER/REPOSITORY) whose only commit is a folder as it is; return the commit."""
        for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message=all"], ["tag", tag]):
            git(folder, *words)
        git(folder, "clone", "--quiet", "--bare", ".", str(self._root / f"{name}.git"))
        return git(folder, "rev-parse", "HEAD")


def git(folder: Path, *arguments: str) -> str:
    """Return what git prints in a folder; the user's own settings do not reach it."""
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **AUTHOR}
    done = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def handler(root: Path, context: ssl.SSLContext) -> type[http.server.BaseHTTPRequestHandler]:
    """Return what answers the requests of a connection: first CONNECT, then those that git's own CGI program understands."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_CONNECT(self) -> None:
            if self.path != f"{HOST}:443":
                self.send_error(502, "there is no other host")
                return
            self.send_response(200)
            self.end_headers()
            self.request = context.wrap_socket(self.request, server_side=True)
            self.setup()
            self.close_connection = False

        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            asked = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("content-type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
            }
            done = subprocess.run(["git", "http-backend"], input=body, env=asked, capture_output=True, timeout=60)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
            self.send_response(int(headers.pop("Status", "200").split()[0]))
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler
