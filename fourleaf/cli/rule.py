"""`fourleaf rule`: the page of one code."""

from __future__ import annotations

import sys

import click

from fourleaf.cli.output import format_option


@click.command("rule")
@click.argument("code")
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
        close = nearest(code, [*known, *by_name])
        click.echo(
            f"no rule is called {code}." + (f" Did you mean {' or '.join(close)}?" if close else " `fourleaf list rules` shows all."),
            err=True,
        )
        sys.exit(2)
    page = rule_page(f"{rule.code}-{rule.name}")
    if form == "json":
        import json

        fields = {
            "code": rule.code,
            "name": rule.name,
            "severity": rule.severity,
            "summary": rule.summary,
            "allowable": rule.allowable,
            "page": page,
        }
        click.echo(json.dumps(fields, indent=2, ensure_ascii=False))
    else:
        click.echo(page.rstrip("\n"))
