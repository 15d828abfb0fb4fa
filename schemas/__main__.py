"""Writes the generated schemas anew: `python -m schemas`. Names in the spec's come from the catalogue and the registry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fourleaf.hardware.catalogue import cards, distributions, hosts
from fourleaf.spec.schema import json_schema
from fourleaf.systems import SYSTEMS, words

HERE = Path(__file__).parent


def cluster() -> dict[str, Any]:
    """Return the schema of a cluster spec, with the names that are known today."""
    return json_schema(
        {
            "card": list(cards()),
            "os": list(hosts()),
            "distribution": list(distributions()),
            "scheduler": words("scheduler"),
            "component": [name for name, system in SYSTEMS.items() if system.record.version],
            "partition": words("partition"),
        }
    )


def generated() -> dict[str, str]:
    """Return the text of what follows from fourleaf itself, by name of the file."""
    return {"cluster.v1.schema.json": json.dumps(cluster(), indent=2, ensure_ascii=False) + "\n"}


def cut_from_kubernetes() -> dict[str, str]:
    """Return the text of what is cut from the descriptions of Kubernetes, by name of the file."""
    from schemas.cut_kube import MINORS, cut

    return {f"kube/1.{minor}.json": cut(minor) for minor in MINORS}


def main() -> None:
    """Write every file that is not what it should be, and say which."""
    for name, text in {**generated(), **cut_from_kubernetes()}.items():
        path = HERE / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote schemas/{name}")  # noqa: T201


if __name__ == "__main__":
    main()
