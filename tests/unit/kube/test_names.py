import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourleaf.kube.names import extended_resource_fault, label_fault, label_key_fault, label_value_fault, shorten, subdomain_fault

X63, X64 = "x" * 63, "x" * 64

# Whether a text is a label, a subdomain, a qualified name, a label's value: what k8s.io/apimachinery v0.36.3 itself says.
AS_KUBERNETES = [
    ("gpu-1", 1, 1, 1, 1), ("gpu.example.org", 0, 1, 1, 1), ("GPU", 0, 0, 1, 1), ("a_b", 0, 0, 1, 1), ("", 0, 0, 0, 1), ("-a", 0, 0, 0, 0),
    ("a-", 0, 0, 0, 0), ("a..b", 0, 0, 1, 1), (".a", 0, 0, 0, 0), ("a.", 0, 0, 0, 0), ("1", 1, 1, 1, 1), ("a b", 0, 0, 0, 0),
    ("\u00e4", 0, 0, 0, 0), (X63, 1, 1, 1, 1), (X64, 0, 1, 0, 0), ("a/b/c", 0, 0, 0, 0),
    ("nvidia.com/gpu", 0, 0, 1, 0), ("nvidia.com/", 0, 0, 0, 0), ("/gpu", 0, 0, 0, 0),
    ("Nvidia.com/gpu", 0, 0, 0, 0), ("nvidia.com/mig-1g.5gb.me", 0, 0, 1, 0), ("a.com/" + X63, 0, 0, 1, 0),
    ("a.com/" + X64, 0, 0, 0, 0), ("/", 0, 0, 0, 0), ("a-.b", 0, 0, 1, 1), ("a\n", 0, 0, 0, 0), (".".join([X63] * 4), 0, 0, 0, 0),
    (".".join([X63] * 3), 0, 1, 0, 0), ("\u0661", 0, 0, 0, 0), ("-", 0, 0, 0, 0), ("a", 1, 1, 1, 1), (X64 + ".com/a", 0, 0, 1, 0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "label", "subdomain", "key", "value"), AS_KUBERNETES)
def test_names_are_taken_and_refused_as_in_kubernetes(text: str, label: int, subdomain: int, key: int, value: int) -> None:
    said = [label_fault(text), subdomain_fault(text), label_key_fault(text), label_value_fault(text)]
    assert [not fault for fault in said] == [bool(fine) for fine in (label, subdomain, key, value)], said


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (label_fault("Gpu"), "has 'G', only a-z, 0-9 and '-' are allowed"),
        (label_fault("-a"), "begins with '-'"),
        (label_fault("a-"), "ends with '-'"),
        (label_fault(X64), "is 64 characters long, 63 are allowed"),
        (subdomain_fault("a..b"), "has an empty part"),
        (label_key_fault("a/b/c"), "has more than one '/'"),
        (label_key_fault("A/b"), "has the domain 'A', which has 'A', only a-z, 0-9, '-' and '.' are allowed"),
        (label_value_fault("a/b"), "has '/', only letters, digits, '-', '_' and '.' are allowed"),
    ],
)
def test_faults_say_what_to_change(fault: str, message: str) -> None:
    assert fault == message


@pytest.mark.parametrize("name", ["nvidia.com/gpu", "nvidia.com/mig-1g.10gb.me", "amd.com/cpx_nps4", "gpu.intel.com/i915"])
def test_the_vendors_resources_are_extended_resources(name: str) -> None:
    assert extended_resource_fault(name) == ""


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("gpu", "no domain"),
        ("cpu", "no domain"),
        ("kubernetes.io/gpu", "Kubernetes' own"),
        ("deviceclass.resource.kubernetes.io/gpu.intel.com", "Kubernetes' own"),
        ("requests.nvidia.com/gpu", "begins with 'requests.'"),
        ("nvidia.com/", "empty"),
        (".".join([X63] * 3 + ["x" * 55]) + "/gpu", "characters long"),
    ],
)
def test_other_names_are_no_extended_resources(name: str, why: str) -> None:
    assert why in extended_resource_fault(name)


names = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,90}[a-z0-9])?", fullmatch=True)


@given(names, st.integers(10, 80))
def test_a_shortened_label_is_a_label_within_the_limit(name: str, limit: int) -> None:
    short = shorten(name, limit)
    assert len(short) <= limit
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", short)
    assert short == name or len(name) > limit


def test_names_that_differ_beyond_the_limit_stay_apart() -> None:
    assert shorten("a" * 70 + "b") != shorten("a" * 70 + "c")
    assert shorten("a" * 70) == shorten("a" * 70)
    assert shorten("a" * 63) == "a" * 63


def test_no_dash_stands_before_the_dash_of_the_hash() -> None:
    assert "--" not in shorten("a" * 50 + "----" + "b" * 50)
