"""`fourleaf schema`: the contract of the spec, for editors and other tools."""

from __future__ import annotations

import click

from fourleaf.cli.stream import put
from fourleaf.cli.word import Word


@click.command("schema")
@click.argument("what", type=Word("schema", ["cluster", "diagnostics"]), default="cluster")
def command(what: str) -> None:
    """Print the JSON Schema of a spec (cluster, the default) or of `--format json` (diagnostics)."""
    from fourleaf.data import schema_text

    put(schema_text(f"{what}.v1.schema.json").rstrip("\n"))
