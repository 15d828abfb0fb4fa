"""`fourleaf completion`: what a shell needs to complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from fourleaf.cli.main import COMPLETE, NAME
from fourleaf.cli.stream import put
from fourleaf.cli.word import Word


@click.command("completion")
@click.argument("shell", type=Word("completion for", ["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of SHELL. For bash: `source <(fourleaf completion bash)`."""
    found = get_completion_class(shell)
    root = ctx.find_root().command
    if found is None:
        ctx.fail(f"no completion for {shell}")
    put(found(root, {}, NAME, COMPLETE).source())
