"""Names as Kubernetes takes them. Each `..._fault` returns why a text is refused, as a clause, or "" where it is fine.

Source: k8s.io/apimachinery v0.36.3 pkg/util/validation; k8s.io/kubernetes v1.37.2 pkg/apis/core/v1/helper (extended resources).
"""

from __future__ import annotations

import hashlib
import re

LABEL_MAX = 63
SUBDOMAIN_MAX = 253

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_PART = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")


def label_fault(name: str) -> str:
    """DNS-1123 label: the name of a namespace or a service, one part of a host name."""
    if len(name) > LABEL_MAX:
        return f"is {len(name)} characters long, {LABEL_MAX} are allowed"
    return "" if _LABEL.fullmatch(name) else _why(name, "a-z, 0-9 and '-'", r"[^a-z0-9-]")


def subdomain_fault(name: str) -> str:
    """DNS-1123 subdomain: the name of most objects; labels joined by dots, each of any length."""
    if len(name) > SUBDOMAIN_MAX:
        return f"is {len(name)} characters long, {SUBDOMAIN_MAX} are allowed"
    faults = [_why(part, "a-z, 0-9, '-' and '.'", r"[^a-z0-9-]") for part in name.split(".") if not _LABEL.fullmatch(part)]
    return faults[0] if faults else ""


def label_key_fault(key: str) -> str:
    """Qualified name: the key of a label, an annotation or a taint, the name of a resource; a name, or `domain/name`."""
    if key.count("/") > 1:
        return "has more than one '/'"
    domain, slash, name = key.rpartition("/")
    if slash and (fault := subdomain_fault(domain)):
        return f"has the domain {domain!r}, which {fault}"
    return _part_fault(name)


def label_value_fault(value: str) -> str:
    """Tell why a text is no value of a label or a taint; an empty one is fine."""
    return _part_fault(value) if value else ""


def extended_resource_fault(name: str) -> str:
    """Tell why a text is no name of an extended resource, such as "nvidia.com/gpu"."""
    if "/" not in name:
        return "has no domain: write `domain/name`"
    if "kubernetes.io/" in name:
        return "lies in kubernetes.io, which is Kubernetes' own"
    if name.startswith("requests."):
        return "begins with 'requests.', which quotas put before it"
    # A quota counts it under this name, which must be one as well: a domain of 245 characters is too long.
    return label_key_fault(name) or label_key_fault(f"requests.{name}")


def shorten(name: str, limit: int = LABEL_MAX) -> str:
    """Return a name of at most `limit` characters: itself, or its beginning and a hash of the whole.

    Two names that differ keep differing, and the same name is shortened alike everywhere.

    Args:
        limit: at least 10, room for one character, a dash and the hash.
    """
    if len(name) <= limit:
        return name
    if limit < 10:
        raise AssertionError(limit)
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: limit - 9].rstrip('-._')}-{digest}"


def _part_fault(name: str) -> str:
    if len(name) > LABEL_MAX:
        return f"is {len(name)} characters long, {LABEL_MAX} are allowed"
    return "" if _PART.fullmatch(name) else _why(name, "letters, digits, '-', '_' and '.'", r"[^A-Za-z0-9_.-]")


def _why(name: str, allowed: str, strange: str) -> str:
    """Say what is wrong with a name that is known to be refused."""
    if not name:
        return "has an empty part"
    if found := re.search(strange, name):
        return f"has {found[0]!r}, only {allowed} are allowed"
    edge = name[0] if not name[0].isalnum() else name[-1]
    return f"{'begins' if edge == name[0] and not name[0].isalnum() else 'ends'} with {edge!r}"
