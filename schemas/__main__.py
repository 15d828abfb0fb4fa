"""Write the generated schemas anew: `python -m schemas`. The enums come from the catalogue and the registry."""

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
    """Return the text of each generated file, by its name."""
    return {"cluster.v1.schema.json": json.dumps(cluster(), indent=2, ensure_ascii=False) + "\n"}


if __name__ == "__main__":
    for name, text in generated().items():
        (HERE / name).write_text(text, encoding="utf-8")
