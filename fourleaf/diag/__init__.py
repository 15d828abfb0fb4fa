"""What fourleaf says to the author of a spec: rules, diagnostics, places."""

from fourleaf.diag.diagnostic import Diagnostic, Edit, Label, Path, Rule, Severity, show_path
from fourleaf.diag.nearest import nearest
from fourleaf.diag.span import Span

__all__ = ["Diagnostic", "Edit", "Label", "Path", "Rule", "Severity", "Span", "nearest", "show_path"]
