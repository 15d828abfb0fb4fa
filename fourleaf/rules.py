"""Every kind of diagnostic that there is, by code."""

from __future__ import annotations

from fourleaf.diag import Rule, Severity

DEFECT = Rule("FL900", "compiler-defect", Severity.ERROR, "fourleaf itself is at fault", allowable=False)


def rules() -> tuple[Rule, ...]:
    """Return all rules, by code. Codes and names are unique; the tests see to it."""
    from fourleaf import checks, decide, emit, lower, resolve, verify
    from fourleaf.diag import allow
    from fourleaf.spec.rules import RULES
    from fourleaf.systems import SYSTEMS

    of_systems = dict.fromkeys(rule for system in SYSTEMS.values() for rule in system.rules)
    stages = (*RULES, *allow.RULES, *resolve.RULES, *decide.RULES, *checks.RULES, *lower.RULES, *verify.RULES, *emit.RULES)
    return tuple(sorted((*stages, *of_systems, DEFECT), key=lambda rule: rule.code))
