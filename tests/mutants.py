"""Specs that somebody got wrong: example specs with values exchanged, deleted and repeated, and keys that do not belong there."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeAlias

import yaml
from rule_pages import pages
from support import ROOT, STACKS

from fourleaf.hardware.catalogue import cards, distributions, hosts

Tree: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[str | int, ...]

EXAMPLES = (*STACKS, *sorted((ROOT / "tests" / "golden").glob("*/cluster.yaml")), ROOT / "tests" / "unit" / "spec" / "full.yaml")


LARGE = 20_000
"""Characters of a spec that is left out: a page's example of too large a spec."""


def trees() -> Iterator[Tree]:
    """Yield every spec at hand as plain data: the examples, and those of the rules' pages that are YAML at all."""
    texts = [path.read_text() for path in EXAMPLES]
    texts += [block.text for page in pages() for block in (*(spec for spec, _ in page.failing), *page.passing)]
    for text in texts:
        try:
            tree = yaml.safe_load(text)
        except yaml.YAMLError:
            continue
        if isinstance(tree, dict) and isinstance(tree.get("spec"), dict) and len(written := json.dumps(tree, default=str)) < LARGE:
            yield json.loads(written)


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of everything below a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def at(tree: Any, path: Path) -> Any:
    for part in path:
        tree = tree[part]
    return tree


def text_of(tree: Any) -> str:
    """Return a tree as a text that has one value a line. JSON is YAML."""
    return json.dumps(tree, indent=1, ensure_ascii=False)


TREES = list(trees())
TEXTS = [json.dumps(tree) for tree in TREES]


def _by_key() -> dict[str, list[Any]]:
    """Return the values that stand anywhere below each key: what is put in another's place gets past the reader, and further."""
    found: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for tree in TREES:
        for path in places(tree):
            key = next((part for part in reversed(path) if isinstance(part, str)), "")
            item = at(tree, path)
            found[f"{key}[]" if isinstance(path[-1], int) else key][json.dumps(item)] = item
    found["card"] |= {name: name for name in cards()}
    found["os"] |= {name: name for name in hosts()}
    found["distribution"] |= {name: name for name in distributions()}
    found["version"] |= {minor: minor for minor in (f"1.{number}" for number in range(28, 39))}
    return {key: list(values.values()) for key, values in found.items()}


LIKELY = _by_key()
KEYS = sorted(key for key in LIKELY if not key.endswith("[]"))
ODD = [None, True, False, 0, 1, -1, 3, 7, 9, 65, 10**6, 10**18, 1.5, "", " ", "none", "auto", "a" * 300, "ä", "\u2028", "0", "1Gi", {}, []]


def mutant(seed: int, most: int = 4) -> Tree:
    """Return one of the specs with some changes; the same for the same seed."""
    random = Random(seed)
    tree: Tree = json.loads(random.choice(TEXTS))
    for _ in range(random.randint(1, most)):
        paths = list(places(tree))
        if paths:
            path = random.choice(paths)
            random.choice(_CHANGES)(random, at(tree, path[:-1]), path[-1])
    return tree


Change: TypeAlias = Callable[[Random, Any, Any], None]


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _odd(random: Random, holder: Any, key: Any) -> None:
    holder[key] = _copy(random.choice(ODD))


def _likely(random: Random, holder: Any, key: Any) -> None:
    known = LIKELY.get(key) if isinstance(key, str) else None
    if known:
        holder[key] = _copy(random.choice(known))
    elif isinstance(holder[key], str | int):
        holder[key] = random.choice(
            [other for other in holder if isinstance(other, type(holder[key]))] if isinstance(holder, list) else ODD
        )


def _count(random: Random, holder: Any, key: Any) -> None:
    if isinstance(holder[key], int):
        holder[key] = max(0, holder[key] + random.choice([-8, -2, -1, 1, 2, 8, 1000]))


def _delete(random: Random, holder: Any, key: Any) -> None:
    del holder[key]


def _repeat(random: Random, holder: Any, key: Any) -> None:
    if isinstance(holder, list):
        other = _copy(holder[key])
        if isinstance(other, dict) and isinstance(other.get("name"), str) and random.random() < 0.8:
            other["name"] += "-2"
            other = {name: item for name, item in other.items() if name != "nodes"} | ({"count": 2} if "nodes" in other else {})
        holder.insert(random.randint(0, len(holder)), other)


def _add(random: Random, holder: Any, key: Any) -> None:
    if isinstance(holder, dict):
        new = random.choice(KEYS)
        holder[new] = _copy(random.choice(LIKELY[new]))


def _from_another(random: Random, holder: Any, key: Any) -> None:
    """Put the pool, workload or tenant of another spec beside this one."""
    other = random.choice(TREES)["spec"]
    if isinstance(holder, list) and isinstance(key, int) and isinstance(holder[key], dict):
        lists = [items for items in other.values() if isinstance(items, list) and items and isinstance(items[0], dict)]
        same = [items for items in lists if set(items[0]) & set(holder[key]) > {"name"}]
        if same:
            holder.append(_copy(random.choice(random.choice(same))))


_CHANGES: list[Change] = [
    _likely,
    _likely,
    _likely,
    _likely,
    _count,
    _count,
    _odd,
    _delete,
    _repeat,
    _repeat,
    _add,
    _from_another,
    _from_another,
]
