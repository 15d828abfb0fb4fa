"""Layouts that are to be computed: where `partition: auto` means them, and what the nodes have now."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Path, nearest
from fourleaf.diag.locate import locate
from fourleaf.ir import Auto, Cut, Origin, Partition, Pool, Want
from fourleaf.partition import Profile, table
from fourleaf.resolve.inventory import Turns, Workload
from fourleaf.resolve.partition import cuts_of
from fourleaf.resolve.rules import LAYOUT_OF_NOTHING
from fourleaf.spec.rules import DUPLICATE_NAME
from fourleaf.systems import answering

if TYPE_CHECKING:
    from fourleaf.spec.layouts import PresentLayouts
    from fourleaf.spec.loaded import Present
    from fourleaf.spec.models import ClusterSpec
    from fourleaf.spec.pools import MigAuto
    from fourleaf.spec.pools import Pool as PoolSpec

GIB = 2**30
FORM = "mig"


def computed(
    spec: ClusterSpec,
    pools: Sequence[Pool],
    workloads: Sequence[Workload],
    turns: Sequence[Turns],
    layouts: Mapping[str, Present],
    found: list[Diagnostic],
) -> tuple[Pool, ...]:
    """Return the pools with what their authors wish of computed layouts; what cannot be goes to `found`.

    Args:
        layouts: files with present layouts, by their path relative to the spec.
    """
    written = {pool.name: (index, pool) for index, pool in enumerate(spec.pools)}
    made: list[Pool] = []
    for pool in pools:
        index, said = written[pool.name]
        place: Path = ("spec", "pools", index, "partition")
        partition = pool.partition
        if said.partition == "auto" and spec.policy.leaf != "bare-plugin" and _worth_it(pool, workloads, turns):
            partition = Partition(forms=(FORM,), auto=Auto(), origin=Origin(place, "workloads ask for parts of its cards"))
        elif partition and partition.auto:
            partition = replace(partition, auto=_wishes(said, pool, (*place, "mig", "auto"), written, layouts, found))
        made.append(replace(pool, partition=partition))
    return tuple(made)


def _worth_it(pool: Pool, workloads: Sequence[Workload], turns: Sequence[Turns]) -> bool:
    """Tell whether `partition: auto` cuts a pool: its cards can be cut, and a workload asks for what is less than one of them.

    docs/decisions/0006-auto-layouts.md says why neither numbers of cards nor numbers of pods count.
    """
    system = answering("partition", FORM)
    cards = [gpu.card for gpu in pool.gpus]
    if system is None or not pool.host.systemd or any(card.vendor != system.vendor for card in cards):
        return False
    profiles = [profile for card in cards if card.mig for profile in table(card.mig).named(pool.driver.version).profiles]
    bound = {member: group.pool for group in turns for member in group.members}
    return any(
        _is_slice(workload.want, profile)
        for workload in workloads
        if bound.get(workload.name, pool.name) == pool.name
        for profile in profiles
    )


def _is_slice(want: Want, profile: Profile) -> bool:
    """Tell whether a want asks for a profile by its name, or is served by it where it is less than the card."""
    if "slice" not in want.units:
        return False
    asked = dict(want.traits)
    if asked:
        return asked in ({"profile": profile.name}, {"family": profile.family})
    return profile.plain and profile.portion < 1 and profile.portion >= want.portion and profile.memory_gib * GIB >= want.memory_bytes


def _wishes(
    said: PoolSpec, pool: Pool, place: Path, pools: Mapping[str, object], layouts: Mapping[str, Present], found: list[Diagnostic]
) -> Auto:
    mig = None if isinstance(said.partition, str) else said.partition.mig
    auto: MigAuto | None = None if mig is None or isinstance(mig, str) else mig.auto
    if auto is None:
        return Auto()
    headroom = -(-float(auto.headroom.removesuffix("%")) // 1)
    present = layouts.get(posixpath.normpath(auto.present)) if auto.present else None
    now = _present(pool, present, (*place, "present"), pools, found) if present else {}
    return Auto(headroom=int(headroom), cost=auto.cost, present=tuple(sorted(now.items())))


def _present(pool: Pool, present: Present, place: Path, pools: Mapping[str, object], found: list[Diagnostic]) -> dict[str, tuple[Cut, ...]]:
    """Return the cuts that a file says the nodes of a pool have; what is wrong with it has its place in that file."""
    said: list[Diagnostic] = []
    now: dict[str, tuple[Cut, ...]] = {}
    for index, entry in enumerate(present.file.spec.pools):
        spot: Path = ("spec", "pools", index)
        if entry.name not in pools:
            said.append(_of_nothing((*spot, "name"), "pool", entry.name, list(pools)))
        if entry.name != pool.name:
            continue
        cuts = tuple(cuts_of(pool.name, entry.layouts, spot, pool.gpus, pool.driver.version, said))
        for node in _nodes(pool, entry, spot, said):
            if node in now:
                where = (*spot, "nodes", list(entry.nodes).index(node)) if entry.nodes else (*spot, "name")
                said.append(DUPLICATE_NAME.at(where, f"the layout of {node or pool.name} is there twice", help="remove one of the two"))
            now[node] = cuts
    found += [replace(item, place=place) for item in locate(said, present.document.span)]
    return now


def _nodes(pool: Pool, entry: PresentLayouts, spot: Path, said: list[Diagnostic]) -> tuple[str, ...]:
    """Return the nodes that an entry is about; of a pool without names, all are the empty name."""
    for index, node in enumerate(entry.nodes):
        if node not in pool.nodes:
            said.append(_of_nothing((*spot, "nodes", index), "node", node, pool.nodes, f" in pool {pool.name}"))
    return tuple(node for node in entry.nodes if node in pool.nodes) if entry.nodes else pool.nodes or ("",)


def _of_nothing(place: Path, kind: str, name: str, known: Sequence[str], where: str = "") -> Diagnostic:
    near = nearest(name, known)
    return LAYOUT_OF_NOTHING.at(
        place,
        f"the spec has no {kind} {name}{where}, so what this file says of it does not count",
        help=f"did you mean {' or '.join(near)}?" if near else "take it out",
    )
