"""The Python language host of the Pulumi engine, in Python.

The engine starts it with its own address as the last argument and reads the port that it serves on from the first line. It runs
programs and component packages in processes of their own and tells the engine which packages they have. The SDK of a component package
is written by `generate.py` and becomes a requirement of the project: what `pulumi package add` asks for.

Which interpreter runs a program: the one that FOURLEAF_ENGINE_PYTHON names, else the `virtualenv` of the runtime's options, else
this one; a plugin without the option has its own `venv`, as with Pulumi's host. Packages are installed into a virtualenv of the
project only, so with FOURLEAF_ENGINE_PYTHON nothing is.

The protocol is https://github.com/pulumi/pulumi/blob/v3.274.1/proto/pulumi/language.proto; the engine ends a host with SIGINT to its
process group and with SIGKILL five seconds later.
"""

# ruff: noqa: E402, N802  (signals first, see below; the methods' names are the protocol's)

from __future__ import annotations

import os
import signal
import sys

# Before the imports, which take a third of a second: an engine that changes its mind meanwhile gets no traceback.
SIGNALS = (signal.SIGINT, signal.SIGTERM)
for number in SIGNALS:
    signal.signal(number, lambda *_: os._exit(0))

import json
import queue
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, NoReturn

import grpc
from google.protobuf import empty_pb2, json_format
from pulumi.runtime.proto import language_pb2 as language
from pulumi.runtime.proto import language_pb2_grpc, plugin_pb2

EXECUTOR = Path(__file__).with_name("pulumi-language-python-exec")
GENERATOR = Path(__file__).with_name("pulumi-language-python-generate")
SHOWN = 32
"""The executor's exit code when it has told the user already what went wrong."""
GRACE = 3.0
"""Seconds that a child has between the interrupt and the kill; the engine gives this process five."""
PACKAGES = """
import importlib.metadata as metadata, importlib.util as util, json, pathlib
found = []
for dist in metadata.distributions():
    name = dist.metadata["Name"]
    try:
        spec = util.find_spec(name.replace("-", "_"))
    except (ImportError, ValueError):
        spec = None
    places = [pathlib.Path(place, "pulumi-plugin.json") for place in (spec.submodule_search_locations or () if spec else ())]
    plugin = next((json.loads(place.read_text()) for place in places if place.is_file()), None)
    found.append({"name": name, "version": dist.version, "plugin": plugin})
print(json.dumps(found))
"""
"""Prints each installed package of an interpreter: name, version, and what its pulumi-plugin.json says."""


class RefusedError(Exception):
    """What the project asks for cannot be done; the text is for its author."""


def interpreter(info: language.ProgramInfo, plugin: bool) -> tuple[Path, Path | None]:
    """Return the interpreter of a program, and its virtualenv where that is the project's own."""
    named = os.environ.get("FOURLEAF_ENGINE_PYTHON")
    if named:
        return Path(named), None
    options: Mapping[str, Any] = json_format.MessageToDict(info.options)
    toolchain = options.get("toolchain", "pip")
    if toolchain != "pip":
        raise RefusedError(f"toolchain {toolchain} is not served by this language host; write toolchain: pip")
    name = options.get("virtualenv") or ("venv" if plugin else "")
    if not name:
        return Path(sys.executable), None
    folder = Path(info.root_directory, name)
    return folder / "bin" / "python", folder


def ready(info: language.ProgramInfo, plugin: bool) -> Path:
    """Return the interpreter of a program, which must be there."""
    python, _ = interpreter(info, plugin)
    if not python.exists():
        raise RefusedError(f"there is no {python}; run: pulumi install")
    return python


def packages(python: Path) -> Sequence[Mapping[str, Any]]:
    """Return what is installed for an interpreter, as `PACKAGES` prints it."""
    return json.loads(subprocess.run([python, "-c", PACKAGES], check=True, capture_output=True, timeout=60).stdout)


def dependency(package: Mapping[str, Any]) -> plugin_pb2.PackageDependency | None:
    """Return the provider that a package needs, if any, as its pulumi-plugin.json has it."""
    plugin = package["plugin"]
    if plugin is None or not plugin.get("resource", False):
        return None
    number = plugin.get("version") or package["version"]
    return plugin_pb2.PackageDependency(
        name=plugin.get("name") or package["name"].replace("_", "-").removeprefix("pulumi-"),
        kind="resource",
        version=number if number.startswith("v") else f"v{number}",
        server=plugin.get("server", ""),
    )


def require(folder: Path, paths: Sequence[str]) -> None:
    """Put folders, relative to a project's, into its requirements.txt, once each."""
    file = folder / "requirements.txt"
    text = file.read_text() if file.is_file() else ""
    lines = [f"./{path}" for path in paths]
    new = [line for line in lines if line not in text.splitlines()]
    if new:
        file.write_text("\n".join([*text.rstrip("\n").splitlines(), *new]) + "\n")


class Children:
    """The processes that the host has started and that still run."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = False

    def start(self, command: Sequence[str | Path], **how: Any) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise RefusedError("the language host is ending")
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, **how)
            self._running.add(child)
        return child

    def wait(self, child: subprocess.Popen[bytes]) -> int:
        code = child.wait()
        with self._lock:
            self._running.discard(child)
        return code

    def end(self, child: subprocess.Popen[bytes]) -> None:
        """Interrupt a child, and kill it if it stays."""
        if child.poll() is not None:
            return
        child.send_signal(signal.SIGINT)
        try:
            child.wait(GRACE)
        except subprocess.TimeoutExpired:
            child.kill()

    def close(self) -> None:
        """End them all and start no more."""
        with self._lock:
            self._closed = True
            running = list(self._running)
        with ThreadPoolExecutor(max(1, len(running))) as pool:
            list(pool.map(self.end, running))


def stream(children: Children, child: subprocess.Popen[bytes], context: grpc.ServicerContext) -> Iterator[tuple[str, bytes | int]]:
    """Yield ("stdout" | "stderr", bytes) as a child writes them, at last ("exitcode", number). The child ends when the call does."""
    said: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()

    def read(name: str, pipe: IO[bytes]) -> None:
        while chunk := pipe.read1(65536):  # type: ignore[attr-defined]
            said.put((name, chunk))
        said.put(None)

    context.add_callback(lambda: children.end(child))
    for name, pipe in (("stdout", child.stdout), ("stderr", child.stderr)):
        threading.Thread(target=read, args=(name, pipe), daemon=True).start()
    for _ in range(2):
        while (item := said.get()) is not None:
            yield item
    yield "exitcode", children.wait(child)


class Host(language_pb2_grpc.LanguageRuntimeServicer):
    """The service. Its methods bear the protocol's names."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.children = Children()

    def Handshake(self, request: language.LanguageHandshakeRequest, context: grpc.ServicerContext) -> language.LanguageHandshakeResponse:
        self.engine = request.engine_address
        return language.LanguageHandshakeResponse()

    def GetPluginInfo(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version=version("pulumi"))

    def About(self, request: language.AboutRequest, context: grpc.ServicerContext) -> language.AboutResponse:
        python = self._ready(request.info, context)
        number = subprocess.run([python, "-c", "import platform; print(platform.python_version())"], capture_output=True, timeout=60)
        return language.AboutResponse(executable=str(python), version=number.stdout.decode().strip(), metadata={"toolchain": "pip"})

    def GetRequiredPackages(
        self, request: language.GetRequiredPackagesRequest, context: grpc.ServicerContext
    ) -> language.GetRequiredPackagesResponse:
        found = (dependency(package) for package in packages(self._ready(request.info, context)))
        return language.GetRequiredPackagesResponse(packages=[item for item in found if item is not None])

    def GetProgramDependencies(
        self, request: language.GetProgramDependenciesRequest, context: grpc.ServicerContext
    ) -> language.GetProgramDependenciesResponse:
        found = packages(self._ready(request.info, context))
        return language.GetProgramDependenciesResponse(
            dependencies=[language.DependencyInfo(name=item["name"], version=item["version"]) for item in found]
        )

    def RuntimeOptionsPrompts(
        self, request: language.RuntimeOptionsRequest, context: grpc.ServicerContext
    ) -> language.RuntimeOptionsResponse:
        return language.RuntimeOptionsResponse()

    def Template(self, request: language.TemplateRequest, context: grpc.ServicerContext) -> language.TemplateResponse:
        return language.TemplateResponse()

    def InstallDependencies(
        self, request: language.InstallDependenciesRequest, context: grpc.ServicerContext
    ) -> Iterator[language.InstallDependenciesResponse]:
        try:
            python, folder = interpreter(request.info, request.is_plugin)
        except RefusedError as refusal:
            self._refuse(context, refusal)
        if folder is None:
            yield language.InstallDependenciesResponse(stdout=f"Using the packages of {python}; nothing is installed.\n".encode())
            return
        commands: list[list[str | Path]] = [] if python.exists() else [[sys.executable, "-m", "venv", folder]]
        if Path(request.info.program_directory, "requirements.txt").is_file():
            commands.append([python, "-m", "pip", "install", "--disable-pip-version-check", "-r", "requirements.txt"])
        for command in commands:
            child = self.children.start(
                command, cwd=request.info.program_directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_plain_environment()
            )
            for name, said in stream(self.children, child, context):
                if name != "exitcode":
                    yield language.InstallDependenciesResponse(**{name: said})
                elif said != 0:
                    self._refuse(context, RefusedError(f"{' '.join(map(str, command))} ended with exit code {said}"))

    def GeneratePackage(self, request: language.GeneratePackageRequest, context: grpc.ServicerContext) -> language.GeneratePackageResponse:
        folder = Path(request.directory)
        done = subprocess.run([sys.executable, GENERATOR, folder], input=request.schema, text=True, capture_output=True, timeout=60)
        if done.returncode != 0:
            self._refuse(context, RefusedError(done.stderr.strip()))
        for name, content in request.extra_files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        return language.GeneratePackageResponse()

    def Link(self, request: language.LinkRequest, context: grpc.ServicerContext) -> language.LinkResponse:
        try:
            interpreter(request.info, plugin=False)  # refuses toolchains that read no requirements.txt
        except RefusedError as refusal:
            self._refuse(context, refusal)
        root = Path(request.info.root_directory)
        require(root, [package.path for package in request.packages])
        modules = {package.package.name: (root / package.path).glob("*/pulumi-plugin.json") for package in request.packages}
        imports = [f"  import {file.parent.name} as {name.replace('-', '_')}" for name, files in modules.items() for file in files]
        return language.LinkResponse(import_instructions="\n".join(["The SDK is in requirements.txt. A program uses it so:", *imports]))

    def Run(self, request: language.RunRequest, context: grpc.ServicerContext) -> language.RunResponse:
        flags = {
            "monitor": request.monitor_address,
            "engine": self.engine,
            "project": request.project,
            "stack": request.stack,
            "organization": request.organization,
            "root-directory": request.info.root_directory,
            "parallel": str(request.parallel),
            "dry-run": "true" if request.dryRun else "",
        }
        command = [self._ready(request.info, context), "-u", EXECUTOR, *(f"--{name}={value}" for name, value in flags.items() if value)]
        environment = dict(os.environ)
        environment["PULUMI_CONFIG"] = json.dumps(dict(request.config))
        environment["PULUMI_CONFIG_SECRET_KEYS"] = json.dumps(list(request.configSecretKeys))
        # The program writes to this process's own streams: the engine shows what comes there.
        child = self.children.start([*command, "--", request.info.entry_point, *request.args], cwd=request.pwd or None, env=environment)
        context.add_callback(lambda: self.children.end(child))
        code = self.children.wait(child)
        if code == SHOWN:
            return language.RunResponse(bail=True)
        return language.RunResponse(error=f"the program ended with exit code {code}" if code else "")

    def RunPlugin(self, request: language.RunPluginRequest, context: grpc.ServicerContext) -> Iterator[language.RunPluginResponse]:
        folder = Path(request.info.program_directory)
        if request.kind == "analyzer":
            self._refuse(context, RefusedError("policy packs are not served by this language host"))
        if not (folder / "__main__.py").is_file():
            self._refuse(context, RefusedError(f"there is no __main__.py in {folder}"))
        python = self._ready(request.info, context, plugin=True)
        environment = dict(item.split("=", 1) for item in request.env) or dict(os.environ)
        child = self.children.start(
            [python, "-u", folder, *request.args], cwd=request.pwd or None, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for name, said in stream(self.children, child, context):
            yield language.RunPluginResponse(**{name: said})

    def Cancel(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> empty_pb2.Empty:
        self.children.close()
        return empty_pb2.Empty()

    def _ready(self, info: language.ProgramInfo, context: grpc.ServicerContext, *, plugin: bool = False) -> Path:
        try:
            return ready(info, plugin)
        except RefusedError as refusal:
            self._refuse(context, refusal)

    def _refuse(self, context: grpc.ServicerContext, refusal: RefusedError) -> NoReturn:
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(refusal))
        raise refusal  # abort raises; this line is for readers and type checkers


def _plain_environment() -> dict[str, str]:
    """Return the environment without what ties a child to this process's own virtualenv."""
    return {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH")}


def main(arguments: Sequence[str]) -> int:
    """Serve until a signal, or until the engine is gone. The engine's address is the last argument; flags before it are its logging."""
    host = Host(arguments[-1] if arguments else "")
    unlimited = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    server = grpc.server(ThreadPoolExecutor(16), options=unlimited)
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()

    over = threading.Event()
    for number in SIGNALS:
        signal.signal(number, lambda *_: over.set())
    parent = os.getppid()
    print(port, flush=True)  # noqa: T201
    while not over.wait(1) and os.getppid() == parent:
        pass
    host.children.close()
    server.stop(grace=0.5).wait()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
