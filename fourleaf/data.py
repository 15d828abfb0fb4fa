"""Reads the package's own data files. It sits below every other module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent


def load(name: str) -> Any:
    """Return the content of a YAML file of the package, None where there is no such file.

    Args:
        name: its path below `fourleaf/`.
    """
    import yaml

    path = ROOT / name
    if not path.is_file():
        return None
    return yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
