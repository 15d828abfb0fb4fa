"""The files of a set, read back as a cluster's administrator would apply them: objects in order, and patches for workloads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from msgspec import Struct

from fourleaf.emit.layouts import FILE as LAYOUTS

Manifest: TypeAlias = Mapping[str, Any]

BINDINGS = "bindings"
KUSTOMIZATION = "kustomization.yaml"
_NO_OBJECTS = (KUSTOMIZATION, "values.yaml")


class Item(Struct, frozen=True):
    """A manifest and the file that it stands in."""

    path: str
    manifest: Manifest


class Fault(Struct, frozen=True):
    """A file that holds no manifest."""

    path: str
    words: str


class Tree(Struct, frozen=True):
    objects: tuple[Item, ...]
    """In the order of application."""
    bindings: tuple[Item, ...]
    """Patches, by path."""
    faults: tuple[Fault, ...] = ()


def of_folder(folder: Path) -> dict[str, str]:
    """Return the YAML files below a folder, path to text; raises OSError."""
    paths = sorted(path for path in folder.rglob("*.yaml") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace") for path in paths}


def read(files: Mapping[str, str]) -> Tree:
    """Return what the files hold.

    Folders go by name, as their numbers mean it; the files of a folder as its kustomization lists them, else by name.
    """
    objects: list[Item] = []
    bindings: list[Item] = []
    faults: list[Fault] = []
    for path in sorted(files, key=_place(files)):
        if not path.endswith(".yaml") or PurePosixPath(path).name in _NO_OBJECTS or path == LAYOUTS:
            continue
        into = bindings if path.startswith(f"{BINDINGS}/") else objects
        for found in _manifests(path, files[path]):
            if isinstance(found, Fault):
                faults.append(found)
            else:
                into.append(found)
    return Tree(tuple(objects), tuple(bindings), tuple(faults))


def _place(files: Mapping[str, str]) -> Any:
    listed: dict[str, int] = {}
    for path, text in files.items():
        folder, _, name = path.rpartition("/")
        if name == KUSTOMIZATION:
            named = next((content.get("resources") for content in _documents(text) if isinstance(content, Mapping)), None)
            listed |= {f"{folder}/{one}": number for number, one in enumerate(named or ())}

    def place(path: str) -> tuple[str, int, str]:
        return path.rpartition("/")[0], listed.get(path, len(listed)), path

    return place


def _manifests(path: str, text: str) -> Iterator[Item | Fault]:
    for content in _documents(text):
        if isinstance(content, Fault):
            yield Fault(path, content.words)
        elif not isinstance(content, Mapping):
            yield Fault(path, "a manifest is a mapping")
        elif missing := [key for key, there in _needed(path, content) if not there]:
            yield Fault(path, f"there is no {missing[0]}")
        else:
            yield Item(path, content)


def _needed(path: str, content: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield what tells which object a manifest is; a patch for a kind of no known shape is its `template` alone."""
    if path.startswith(f"{BINDINGS}/") and "template" in content:
        return
    yield from ((key, isinstance(content.get(key), str)) for key in ("apiVersion", "kind"))
    metadata = content.get("metadata")
    yield "metadata.name", isinstance(metadata, Mapping) and isinstance(metadata.get("name"), str)


def _documents(text: str) -> Iterator[Any]:
    """Yield the documents of a YAML text that are not empty; a Fault where it is none."""
    import yaml

    try:
        yield from (content for content in yaml.safe_load_all(text) if content is not None)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        yield Fault("", f"{where}{getattr(error, 'problem', None) or 'this is no YAML'}")
