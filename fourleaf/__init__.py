"""fourleaf: one cluster spec in, the consistent set of Kubernetes manifests for GPU scheduling out.

    import fourleaf

    made = fourleaf.compile("cluster.yaml")
    print(made.render())
    if made.ok:
        made.write("out")

The names in `__all__` are the public surface; every other module is private and changes without notice.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fourleaf.api import Compared, Compilation, Findings, Written, check, compile  # noqa: A004  the words of the command line
    from fourleaf.decide import Decision, Layer, Step
    from fourleaf.diag import Diagnostic, Label, Rule, Severity, Span

__version__ = "0.1.0"

__all__ = [
    "Compared",
    "Compilation",
    "Decision",
    "Diagnostic",
    "Findings",
    "Label",
    "Layer",
    "Rule",
    "Severity",
    "Span",
    "Step",
    "Written",
    "__version__",
    "check",
    "compile",
]

_HOMES = {
    "fourleaf.api": ("Compared", "Compilation", "Findings", "Written", "check", "compile"),
    "fourleaf.decide": ("Decision", "Layer", "Step"),
    "fourleaf.diag": ("Diagnostic", "Label", "Rule", "Severity", "Span"),
}


def __getattr__(name: str) -> object:
    """Import what is asked for only then, so that `import fourleaf` costs nothing."""
    import importlib

    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'fourleaf' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
