"""The texts of a spec that have a form: names, versions, amounts. Each form has a pattern, and words for those who miss it."""

from __future__ import annotations

from msgspec import Struct


class Form(Struct, frozen=True):
    """How a text must look."""

    pattern: str
    """Understood alike by Python, Rust and JSON Schema."""
    what: str
    """Completes "... is not": "a DNS label"."""
    help: str
    """One action."""


LABEL = Form(
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    "a DNS label",
    "use lower-case letters, digits and dashes, with a letter or digit at both ends",
)
NODE = Form(
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    "a name that a node can have",
    "write metadata.name of the node: lower-case letters, digits, dashes and dots",
)
KUBERNETES = Form(
    r"^v?1\.[0-9]{1,3}(\.[0-9]{1,3})?$",
    "a version of Kubernetes",
    'write a minor version or a patch of it, such as "1.35" or "1.35.2"',
)
MEMORY = Form(
    r"^([1-9][0-9]*(\.[0-9]+)?|0\.[0-9]*[1-9][0-9]*)([KMGTPE]i|[kMGTPE])$",
    "an amount of memory as Kubernetes writes it",
    "write a number and its unit, such as 96Gi (powers of two) or 96G (powers of ten)",
)
PERCENT = Form(
    r"^(100|[1-9]?[0-9](\.[0-9]+)?)%$",
    "a percentage",
    "write a number from 0 to 100 and a percent sign, such as 10%",
)
CODE = Form(
    r"^FL[0-9]{3}$",
    "the code of a diagnostic",
    "write FL and three digits, such as FL412",
)
CHART = Form(
    r"^v?[0-9]+(\.[0-9]+){2,3}([-+][0-9A-Za-z.+-]*)?$",
    "one version",
    "write a whole version, such as `fourleaf list charts` has: a range or a channel would be another one tomorrow",
)
DRIVER = Form(
    r"^[0-9]+(\.[0-9]+)*([-+][0-9A-Za-z.+-]*)?$",
    "a version of a driver",
    "write its number, such as 580.173.02",
)
GATE = Form(
    r"^[A-Za-z][A-Za-z0-9]*$",
    "a feature gate",
    "write its name, such as DynamicResourceAllocation",
)
LABEL_KEY = Form(
    r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
    "a key that Kubernetes takes",
    "use letters, digits, dashes, dots and underscores, after at most one prefix such as example.org/",
)
LABEL_VALUE = Form(
    r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$",
    "a value that Kubernetes takes",
    "use letters, digits, dashes, dots and underscores, with a letter or digit at both ends",
)

FORMS = {form.pattern: form for form in (LABEL, NODE, KUBERNETES, MEMORY, PERCENT, CODE, CHART, DRIVER, GATE, LABEL_KEY, LABEL_VALUE)}
