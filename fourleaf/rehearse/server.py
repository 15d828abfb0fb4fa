"""An API server, talked to through the `kubernetes` client library: plain manifests in, plain manifests out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kubernetes import config
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.discovery import LazyDiscoverer
from kubernetes.dynamic.exceptions import DynamicApiError, ResourceNotFoundError
from urllib3.exceptions import HTTPError

from fourleaf.rehearse.tree import Manifest

MANAGER = "fourleaf-rehearse"
_NO_CACHE = "/dev/null/discovery.json"
"""A file that cannot be: what was discovered is kept in memory alone."""
_APPLY = "application/apply-patch+yaml"
_GONE = 404


class RefusedError(Exception):
    """The API server does not take an object.

    Attributes:
        code: of HTTP; 0 where the request was never made.
        words: the server's own.
    """

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.words = words


class UnreachableError(Exception):
    """No API server answers."""


class Key(tuple[str, str, str, str]):
    """(apiVersion, kind, namespace, name) of an object; sorts and hashes as that."""

    __slots__ = ()

    @classmethod
    def of(cls, manifest: Manifest) -> Key:
        metadata = manifest.get("metadata") or {}
        return cls((manifest["apiVersion"], manifest["kind"], metadata.get("namespace", ""), metadata["name"]))


class Server:
    """One API server, as its administrator.

    Attributes:
        made: what was created through this object and not yet deleted, in order.
        version: "1.36", of the server.
    """

    def __init__(self, kubeconfig: Path) -> None:
        """Connect.

        Raises:
            UnreachableError: where nobody answers, or the file is no configuration.
        """
        self.made: dict[Key, None] = {}
        try:
            client = config.new_client_from_config(str(kubeconfig))
            self._client = DynamicClient(client, cache_file=_NO_CACHE, discoverer=_Discovery)
            told = self._client.version["kubernetes"]
        except (config.ConfigException, DynamicApiError, HTTPError, OSError) as error:
            raise UnreachableError(str(error).partition("\n")[0]) from error
        self.version = f"{told['major']}.{''.join(filter(str.isdigit, told['minor']))}"

    def apply(self, manifest: Manifest, *, part: str = "", dry: bool = False) -> None:
        """Apply an object server-side; a field that its kind does not have is refused.

        Args:
            part: "status" for that subresource.
            dry: go through everything and store nothing.

        Raises:
            RefusedError: with the server's words.
        """
        key = Key.of(manifest)
        path = self._path(key) + (f"/{part}" if part else "")
        query = [("fieldManager", MANAGER), ("fieldValidation", "Strict"), ("force", "false"), *([("dryRun", "All")] if dry else [])]
        status = self._ask("patch", path, manifest, query, _APPLY).status
        if status == 201 and not dry:  # created: a 200 was there before
            self.made[key] = None

    def create(self, manifest: Manifest, *, dry: bool = False) -> None:
        """Create an object that must not be there yet; raises RefusedError."""
        key = Key.of(manifest)
        query = [("fieldManager", MANAGER), ("fieldValidation", "Strict"), *([("dryRun", "All")] if dry else [])]
        self._ask("post", self._path(key).rpartition("/")[0], manifest, query)
        if not dry:
            self.made[key] = None

    def get(self, key: Key) -> Any:
        """Return an object, None where it is not there."""
        try:
            return json.loads(self._ask("get", self._path(key)).data)
        except RefusedError as refused:
            if refused.code == _GONE:
                return None
            raise

    def find(self, api_version: str, kind: str, selector: str = "", namespace: str = "") -> list[Any]:
        """Return the objects of a kind that carry some labels, in all namespaces or in one."""
        kind_path = self._resource(api_version, kind).path(namespace=namespace or None)
        query = [("labelSelector", selector)] if selector else []
        items: list[Any] = json.loads(self._ask("get", kind_path, query=query).data)["items"]
        return items

    def delete(self, key: Key) -> None:
        """Delete an object at once; one that is not there is fine."""
        self.made.pop(key, None)
        try:
            self._ask("delete", self._path(key), query=[("gracePeriodSeconds", "0"), ("propagationPolicy", "Background")])
        except RefusedError as refused:
            if refused.code != _GONE:
                raise

    def serves(self, api_version: str, kind: str) -> bool:
        try:
            self._resource(api_version, kind)
        except RefusedError:
            return False
        return True

    def _path(self, key: Key) -> str:
        api_version, kind, namespace, name = key
        resource = self._resource(api_version, kind)
        path: str = resource.path(name=name, namespace=(namespace or "default") if resource.namespaced else None)
        return path

    def _resource(self, api_version: str, kind: str) -> Any:
        try:
            return self._client.resources.get(api_version=api_version, kind=kind)
        except ResourceNotFoundError:
            raise RefusedError(0, f"the server has no kind {kind} in {api_version}") from None

    def _ask(self, verb: str, path: str, body: Any = None, query: Sequence[tuple[str, str]] = (), form: str = "application/json") -> Any:
        try:
            answer = self._client.request(verb, path, body=body, query_params=list(query), content_type=form, serialize=False)
            answer.data  # noqa: B018  read to its end, or its connection serves no other request
        except DynamicApiError as error:
            raise RefusedError(error.status, _words(error)) from None
        except HTTPError as error:
            raise UnreachableError(str(error)) from error
        return answer


class _Discovery(LazyDiscoverer):  # type: ignore[misc]
    """The library's own, which keeps a file in the folder for temporary files."""

    def _write_cache(self) -> None:
        return


def _words(error: Any) -> str:
    """Return what the server says, without what stands around it."""
    try:
        said = json.loads(error.body)
    except (TypeError, ValueError):
        return str(error.reason)
    message: str = said.get("message", error.reason)
    return " ".join(message.split())


def until(holds: Callable[[], bool], seconds: float, pause: float = 0.05) -> bool:
    """Wait until something holds; False where it does not in time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True
