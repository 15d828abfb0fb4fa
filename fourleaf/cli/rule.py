"""`fourleaf rule`: the page of one code."""

from __future__ import annotations

import sys

import click

from fourleaf.cli.output import format_option
from fourleaf.cli.stream import colored, put, put_data


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from fourleaf.rules import rules

    return [word for rule in rules() for word in (rule.code, rule.name) if word.lower().startswith(incomplete.lower())]


@click.command("rule")
@click.argument("code", shell_complete=_complete)
@format_option
def command(code: str, form: str) -> None:
    """Print what CODE means: why it matters, a spec that fails and one that passes. CODE is FL501, or the rule's name."""
    from fourleaf.data import rule_page
    from fourleaf.diag import nearest
    from fourleaf.rules import rules

    known = {rule.code: rule for rule in rules()}
    by_name = {rule.name: rule for rule in known.values()}
    rule = known.get(code.upper()) or by_name.get(code.lower())
    if rule is None:
        close = nearest(code, by_name)
        mend = f"Did you mean {' or '.join(close)}?" if close else "`fourleaf list rules` shows all."
        click.echo(f"no rule is called {code}. {mend}", err=True)
        sys.exit(2)
    text = rule_page(f"{rule.code}-{rule.name}")
    if form == "json":
        fields = {name: getattr(rule, name) for name in ("code", "name", "severity", "summary", "allowable")}
        put_data({**fields, "page": text})
    elif colored():
        from fourleaf.cli.terminal import page

        page(text)
    else:
        put(text.rstrip("\n"))
