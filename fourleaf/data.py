"""Reads the package's own data files. It sits below every other module."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeAlias

ROOT = Path(__file__).parent

Folder: TypeAlias = Literal["schemas", "rules"]
BESIDE: dict[Folder, Path] = {"schemas": ROOT.parent / "schemas", "rules": ROOT.parent / "docs" / "rules"}


def load(name: str) -> Any:
    """Return the content of a YAML file of the package, None where there is no such file.

    Args:
        name: its path below `fourleaf/`.
    """
    import yaml

    path = ROOT / name
    if not path.is_file():
        return None
    return yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506, the safe loader in C


def folder(name: Folder) -> Path:
    """Return where a folder of data stands that other tools read too.

    In a wheel it is in the package (`_schemas`, `_rules`), in a checkout beside it (`schemas/`, `docs/rules/`).
    """
    inside = ROOT / f"_{name}"
    return inside if inside.is_dir() else BESIDE[name]


def schema(name: str) -> Any:
    """Return the content of a JSON file below `schemas/`, None where there is no such file."""
    import json

    path = folder("schemas") / name
    return json.loads(path.read_bytes()) if path.is_file() else None


def schemas(pattern: str) -> tuple[str, ...]:
    """Return the names of the files below `schemas/` that match a pattern, sorted: `crds/*.nfd.k8s-sigs.io.json`."""
    root = folder("schemas")
    return tuple(sorted(path.relative_to(root).as_posix() for path in root.glob(pattern)))


def schema_text(name: str) -> str:
    """Return the text of a file below `schemas/`."""
    return (folder("schemas") / name).read_text(encoding="utf-8")


def rule_page(name: str) -> str:
    """Return the page of a rule, by `<code>-<name>`."""
    return (folder("rules") / f"{name}.md").read_text(encoding="utf-8")
