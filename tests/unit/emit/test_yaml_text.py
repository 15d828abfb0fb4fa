"""What is printed is read back as the same by every reader that meets our files."""

import json
import random
import shutil
import subprocess
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from fourleaf.emit.yaml_text import DEPTH, comment, dump, scalar
from fourleaf.ir import Document, Ref

STRINGS: list[str] = json.loads((Path(__file__).parent / "strings.json").read_text())
UNPRINTABLE = frozenset(map(chr, [*range(9), 11, 12, *range(14, 32), *range(127, 160), 0xFFFE, 0xFFFF]))

kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on PATH")


def positions(strings: list[str]) -> list[dict[str, Any]]:
    """Objects with every string as a value, as a key, in a list, in a list of lists and in a list of mappings."""

    def made(name: str, **fields: Any) -> dict[str, Any]:
        return {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": name}, **fields}

    return [
        made("values", data={f"k{number}": text for number, text in enumerate(strings)}),
        made("keys", data={text: number for number, text in enumerate(strings)}),
        made("lists", list=strings, nested=[[text] for text in strings], maps=[{text: text, "second": [text]} for text in strings]),
    ]


def differences(wanted: Any, got: Any, at: str = "") -> list[str]:
    if type(wanted) is not type(got):
        return [f"{at}: {wanted!r} came back as {got!r}"]
    if isinstance(wanted, dict):
        lost = [f"{at}[{key!r}] is lost" for key in wanted.keys() - got.keys()]
        return lost + [line for key in wanted.keys() & got.keys() for line in differences(wanted[key], got[key], f"{at}[{key!r}]")]
    if isinstance(wanted, list):
        if len(wanted) != len(got):
            return [f"{at}: {len(wanted)} items came back as {len(got)}"]
        return [line for number, pair in enumerate(zip(wanted, got, strict=True)) for line in differences(*pair, f"{at}[{number}]")]
    return [] if wanted == got else [f"{at}: {wanted!r} came back as {got!r}"]


def through_kubectl(text: str, folder: Path) -> list[dict[str, Any]]:
    file = folder / "objects.yaml"
    file.write_text(text)
    run = subprocess.run(["kubectl", "label", "--local", "-o", "json", "-f", file, "read=yes"], capture_output=True, text=True, check=False)
    assert not run.stderr, run.stderr[:2000]
    decoder, at, found = json.JSONDecoder(), 0, []
    while at < len(run.stdout.rstrip()):
        tree, at = decoder.raw_decode(run.stdout, at)
        while run.stdout[at : at + 1].isspace():
            at += 1
        found += tree["items"] if tree["kind"] == "List" else [tree]
    for one in found:
        del one["metadata"]["labels"]
    return found


def random_strings(seed: int, count: int) -> list[str]:
    """Strings of what means something to some reader."""
    pieces = [
        *"0123456789eExXoObBnNyYfFtT_.+-:,~<>=!&*?|#%@`'\"\\{}[] /\n\t",
        "é",
        "日",
        "\U0001f600",
        "inf",
        "nan",
        "true",
        "no",
        "null",
        "- ",
        ": ",
        " #",
    ]
    source = random.Random(seed)
    return ["".join(source.choices(pieces, k=source.randint(1, 9))) for _ in range(count)]


@pytest.mark.parametrize("loader", [yaml.CSafeLoader, yaml.SafeLoader])
def test_pyyaml_reads_every_string_back_in_every_position(loader: type) -> None:
    wanted = positions(STRINGS)

    got = list(yaml.load_all("---\n".join(map(dump, wanted)), Loader=loader))

    assert differences(wanted, got) == []


@kubectl
def test_kubectl_reads_every_string_back_in_every_position(tmp_path: Path) -> None:
    wanted = positions(STRINGS + random_strings(1, 2000))

    got = through_kubectl("---\n".join(map(dump, wanted)), tmp_path)

    assert differences(wanted, got) == []


@kubectl
def test_kustomize_hands_every_printable_string_on(tmp_path: Path) -> None:
    """It refuses or loses control characters, non-characters, keys of a page and `<<` as a key; none of these is anything of ours."""
    strings = [text for text in STRINGS + random_strings(2, 500) if not UNPRINTABLE & {*text} and len(text) < 1000 and text != "<<"]
    wanted = positions(strings)
    for one in wanted:
        (tmp_path / f"{one['metadata']['name']}.yaml").write_text(dump(one))
    resources = {"resources": [f"{one['metadata']['name']}.yaml" for one in wanted], "sortOptions": {"order": "fifo"}}
    (tmp_path / "kustomization.yaml").write_text(dump(resources))
    run = subprocess.run(["kubectl", "kustomize", tmp_path], capture_output=True, text=True, check=False)
    assert not run.stderr, run.stderr[:2000]

    got = through_kubectl(run.stdout, tmp_path)

    assert differences(wanted, got) == []


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text(st.characters(exclude_categories=["Cs"]))
        | st.sampled_from(STRINGS),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), inner, max_size=4)
        ),
        max_leaves=20,
    )
)
@settings(max_examples=300, deadline=None)
def test_any_tree_comes_back(tree: Any) -> None:
    assert differences(tree, yaml.load(dump(tree), Loader=yaml.CSafeLoader)) == []


@given(st.lists(st.sampled_from(["a", " b", "c ", "", "\t", "# d", "- e", "f: g", "---", "...", "%", "é"]), max_size=6), st.integers(0, 3))
@settings(max_examples=300, deadline=None)
def test_text_of_several_lines_comes_back(lines: list[str], ends: int) -> None:
    text = "\n".join(lines) + "\n" * ends

    assert yaml.safe_load(dump({"a": [{"b": text}], "c": text})) == {"a": [{"b": text}], "c": text}


def test_keys_keep_their_order_and_lists_stand_under_their_key() -> None:
    tree = {"kind": "Pod", "apiVersion": "v1", "spec": {"list": [{"b": 1, "a": [2, [3, 4]]}, "x"], "empty": {}, "none": []}}

    assert dump(tree) == (
        "kind: Pod\napiVersion: v1\nspec:\n  list:\n  - b: 1\n    a:\n    - 2\n    - - 3\n      - 4\n  - x\n  empty: {}\n  none: []\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "nvidia.com/gpu",
        "1g.10gb",
        "7g.80gb",
        "1g.10gb+me",
        "64Gi",
        "500m",
        "25%",
        "30s",
        "v26.7.0",
        "1.15.0",
        "a b",
        "get, list",
        "/dev/nvidia0",
        "https://example.org/x",
    ],
)
def test_what_people_write_plain_is_plain(text: str) -> None:
    assert scalar(text) == text


@pytest.mark.parametrize(
    "text",
    ["1e3", "y", "N", "on", "0o7", "12:30:00", "2026-01-01", "1_000", ".5", "0x1F", "~", "=", "<<", "1.10", "null", "", "a: b", "a #b"],
)
def test_what_some_reader_mistakes_is_quoted(text: str) -> None:
    assert scalar(text) == f'"{text}"'


def test_clean_text_is_a_literal_block_and_other_text_is_quoted() -> None:
    assert dump({"a": "x: 1\n\ny: 2\n"}) == "a: |\n  x: 1\n\n  y: 2\n"
    assert dump({"a": "x\ny"}) == "a: |-\n  x\n  y\n"
    assert dump({"a": "x\n\n"}) == "a: |+\n  x\n\n"
    assert dump({"a": "x \ny"}) == 'a: "x \\ny"\n'


def test_a_document_is_printed_as_text_however_deep_it_stands() -> None:
    tree = {"data": {"config.yaml": Document({"version": "v1", "inner": Document({"y": "1e3"})})}}

    text = yaml.safe_load(dump(tree))["data"]["config.yaml"]

    assert text == 'version: v1\ninner: |\n  "y": "1e3"\n'
    assert yaml.safe_load(yaml.safe_load(text)["inner"]) == {"y": "1e3"}


def test_other_containers_and_strings_are_printed_as_the_plain_ones() -> None:
    class Kind(StrEnum):
        POD = "Pod"

    assert dump(MappingProxyType({"a": ("x", MappingProxyType({"b": Kind.POD}))})) == "a:\n- x\n- b: Pod\n"


def test_a_null_is_kept() -> None:
    assert dump({"strategy": {"type": "Recreate", "rollingUpdate": None}}) == "strategy:\n  type: Recreate\n  rollingUpdate: null\n"


def test_a_header_is_comment_even_where_it_holds_line_breaks() -> None:
    text = dump({"a": 1}, header=("one", "two\nthree\r", ""))

    assert text == "# one\n# two\n# three\\r\n#\na: 1\n"
    assert comment(()) == ""


def test_a_key_too_long_for_a_simple_key_is_an_explicit_one() -> None:
    tree = {"k" * 1100: {"a": [1]}, "l" * 1100: "x", "m" * 1100: [{"n" * 1100: "y\nz\n"}]}

    assert yaml.safe_load(dump({"top": [tree]})) == {"top": [tree]}


def test_a_reference_without_its_final_name_is_refused() -> None:
    with pytest.raises(TypeError, match="no part of a manifest"):
        dump({"queue": Ref("Queue", "a")})


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="surrogate"):
        dump({"a": "\ud800"})


@pytest.mark.parametrize("wrap", [lambda tree: {"a": tree}, lambda tree: [tree], lambda tree: {"a": [tree]}])
def test_nesting_has_a_limit_far_above_what_the_spec_allows(wrap: Any) -> None:
    tree: Any = "x"
    for _ in range(DEPTH // 2 - 1):
        tree = wrap(tree)
    assert yaml.load(dump(tree), Loader=yaml.CSafeLoader) == tree

    for _ in range(2 * DEPTH):
        tree = wrap(tree)
    with pytest.raises(ValueError, match=f"more than {DEPTH} levels"):
        dump(tree)
