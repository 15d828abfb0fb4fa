from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourleaf.kube.quantity import bytes_of, canonical, parse_quantity, round_memory, show_memory, show_quantity

# Text, the form that the API server gives back, the value rounded up: what k8s.io/apimachinery v0.36.3 itself says.
AS_KUBERNETES = [
    ("0", "0", 0), ("1", "1", 1), ("+1", "1", 1), ("5.", "5", 5), (".5", "500m", 1), ("0.5", "500m", 1), ("1.50", "1500m", 2),
    ("00.1", "100m", 1), ("100m", "100m", 1), ("1000m", "1", 1), ("1u", "1u", 1), ("1n", "1n", 1), ("0.1n", "1n", 1),
    ("0.00001m", "10n", 1), ("1000k", "1M", 1000000), ("1025", "1025", 1025), ("1024", "1024", 1024), ("1E", "1E", 10**18),
    ("1e3", "1e3", 1000), ("1E3", "1e3", 1000), ("12e6", "12e6", 12000000), ("1e+2", "100", 100), ("1e-3", "1e-3", 1),
    ("1Ki", "1Ki", 1024), ("1024Ki", "1Mi", 1048576), ("1.5Gi", "1536Mi", 1610612736), ("7.5Ei", "7680Pi", 8646911284551352320),
    ("0Gi", "0", 0), ("0.1Ki", "102400m", 103), ("0.3Gi", "322122547200m", 322122548), ("0.0001Gi", "107374182400u", 107375),
    ("999.9999999999", "1k", 1000),
]  # fmt: skip


@pytest.mark.parametrize(("text", "back", "value"), AS_KUBERNETES)
def test_quantities_read_and_print_as_in_kubernetes(text: str, back: str, value: int) -> None:
    assert canonical(text) == back
    assert bytes_of(text) == value


@pytest.mark.parametrize(
    "text", ["", " ", "1 Gi", "1ki", "1K", "1_000", "1e", "1Gib", "\u0661", "0x10", "1.2.3", ".", "1e9999", "--1", "1Gi\n", "inf", "nan"]
)
def test_other_texts_are_no_quantities(text: str) -> None:
    with pytest.raises(ValueError, match="is no quantity"):
        parse_quantity(text)


@pytest.mark.parametrize("text", ["8Ei", "9223372036854775808", "1e19", "1e999", "-8Ei"])
def test_what_no_api_server_can_count_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="more than 2"):
        parse_quantity(text)


def test_negative_bytes_are_refused_and_other_negative_amounts_kept() -> None:
    assert canonical("-0.5") == "-500m"
    assert parse_quantity("-1Gi") == -(2**30)
    with pytest.raises(ValueError, match="negative"):
        bytes_of("-1Gi")


def test_bytes_are_shown_in_powers_of_1024_and_counts_in_powers_of_1000() -> None:
    assert show_quantity(96 * 2**30, "binary") == "96Gi"
    assert show_quantity(1000, "binary") == "1k"
    assert show_quantity(1000) == "1k"
    assert show_quantity(Fraction(1, 2)) == "500m"
    with pytest.raises(ValueError, match="nine decimal places"):
        show_quantity(Fraction(1, 3))


nanos = st.integers(-(2**63) + 1, 2**63 - 1).map(lambda number: Fraction(number, 10**9))
wholes = st.integers(-(2**63) + 1, 2**63 - 1).map(Fraction)


@given(nanos | wholes, st.sampled_from(["decimal", "binary", "exponent"]))
def test_what_is_shown_reads_back_as_the_same_amount(value: Fraction, form) -> None:
    assert parse_quantity(show_quantity(value, form)) == value


@given(st.from_regex(r"[+-]?[0-9]{1,9}(\.[0-9]{0,12})?(Ki|Mi|Gi|n|u|m|k|M|e[+-]?[0-3])?", fullmatch=True))
def test_the_canonical_form_is_the_same_amount_and_its_own_canonical_form(text: str) -> None:
    assert parse_quantity(canonical(text)) == parse_quantity(text)
    assert canonical(canonical(text)) == canonical(text)


@given(st.text(max_size=12))
def test_any_text_is_a_quantity_or_a_value_error(text: str) -> None:
    try:
        value = parse_quantity(text)
    except ValueError:
        return
    assert abs(value) < 2**63


@pytest.mark.parametrize("text", ["64Gi", "100G", "2Ti", "1536Mi", "500M", "3k"])
def test_memory_is_shown_as_its_author_wrote_it(text: str) -> None:
    assert show_memory(bytes_of(text)) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(24 * 2**30, "24Gi"), (5 * 2**29, "2.5Gi"), (10 * 2**30 // 3, "3.3Gi"), (80 * 2**30 // 7, "11.4Gi"), (5 * 2**30 // 7, "731Mi")],
)
def test_a_round_amount_is_no_more_than_there_is(count: int, text: str) -> None:
    assert round_memory(count) == text
    assert bytes_of(text) <= count
