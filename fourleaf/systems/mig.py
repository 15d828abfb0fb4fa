"""MIG: whole cards become slices, by layouts that the operator's MIG manager applies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.hardware import Card
from fourleaf.ir import Ask, Component, Document, Layouts, Origin, Part, Plan, Pool, Prerequisite, Resource, Supply, Value
from fourleaf.partition import Profile, Unknown, resolve_profile, table
from fourleaf.systems import parts
from fourleaf.systems.record import record, release
from fourleaf.systems.system import System

VENDOR = "nvidia"
CLASS = "mig.nvidia.com"
"""The DeviceClass of slices of every profile."""
STRATEGY = "mixed"
"""Always: under `single` a resource's name in one pool would hang on the layouts of all others."""
OPERATOR = "gpu-operator"
"""Its chart brings the MIG manager and the device plugin."""
LABEL = "nvidia.com/mig.config"
WHOLE = "all-disabled"
"""The layout that undoes MIG."""
LABEL_LENGTH = 63
"""Characters that the value of a label may have."""

NO_SYSTEMD = Rule("FL250", "mig-manager-without-systemd", Severity.ERROR, "the MIG manager cannot change the cards of a host")
REBOOTS = Rule("FL251", "mig-reboots-nodes", Severity.NOTE, "nodes restart when their layout is first applied")
MODELS = Rule("FL252", "cards-not-told-apart", Severity.ERROR, "layouts by index over cards of several models")
STUCK = Rule("FL253", "driver-hides-whole-cards", Severity.ERROR, "a driver under which whole cards beside MIG stay Pending")
BEYOND = Rule("FL254", "profile-beyond-operator", Severity.ERROR, "a MIG profile that this version of the operator cannot make")
RECUT = Rule("FL212", "nodes-to-repartition", Severity.NOTE, "nodes whose cards must be free before they are cut anew", allowable=False)
LONG_LABEL = Rule("FL214", "label-of-slice-too-long", Severity.NOTE, "boards whose slices get no label with their product")
NAMES = Rule("FL215", "profile-named-by-driver", Severity.WARNING, "a profile that drivers call by several names, and no driver is said")


# ---- what a pool becomes


def supplies(pool: Pool, below: tuple[Supply, ...]) -> tuple[Supply, ...]:
    """Take the cut cards out of the whole ones and add their slices."""
    if not below or not pool.partition:
        return below
    models = _models(pool)
    layouts = _layouts(pool)
    left = [card for index, card in enumerate(models) if not layouts.get(index)]
    names: Counter[str] = Counter()
    for layout in layouts.values():
        names.update(layout)
    rest = (
        replace(whole, per_node=len(kept), **_same(whole, kept))
        for whole in below
        if (kept := [card for card in left if len(below) == 1 or ("card", card.name) in whole.traits])
    )
    return (*rest, *(_slice(below[0], name, names[name], [models[i] for i in layouts if name in layouts[i]]) for name in sorted(names)))


def _slice(whole: Supply, name: str, count: int, cards: Sequence[Card]) -> Supply:
    """Return the slices of one profile. They have one name on all models, so only what is true of all is promised."""
    found = [_profile(card, name) for card in cards]
    traits = {("vendor", whole.vendor), ("profile", name), *(("family", profile.family) for profile in found)}
    traits |= {("card", card.name) for card in cards if all(other.name == card.name for other in cards)}
    return replace(
        whole,
        resource=Resource(resource(name) if whole.resource.by == "device-plugin" else CLASS, whole.resource.by),
        per_node=count,
        unit="slice",
        memory_bytes=min(profile.memory_gib for profile in found) * parts.GIB,
        portion=min(profile.portion for profile in found),
        traits=frozenset(traits),
    )


def resource(profile: str) -> str:
    """Return the name under which the device plugin advertises a profile."""
    return f"nvidia.com/mig-{profile.replace('+', '.')}"


def _same(whole: Supply, left: Sequence[Card]) -> dict[str, Any]:
    """Return what is true of all the cards that stay whole."""
    models = {card.name for card in left}
    traits = {trait for trait in whole.traits if trait[0] != "card"} | {("card", model) for model in models if len(models) == 1}
    return {"traits": frozenset(traits), "memory_bytes": int(min(card.memory_gib or 0 for card in left) * parts.GIB)}


def _profile(card: Card, name: str) -> Profile:
    profile = table(card.mig).find(name)
    if profile is None:
        raise AssertionError(f"resolve let {name} through for {card.name}")
    return profile


def _models(pool: Pool) -> list[Card]:
    """Return the card behind each index of a node."""
    return pool.models(VENDOR)


def _layouts(pool: Pool) -> Mapping[int, Mapping[str, int]]:
    """Return the layout of each card that is cut, by index."""
    cuts = pool.partition.cuts if pool.partition else ()
    return {index: dict(cut.parts) for cut in cuts for index in cut.cards if cut.parts}


# ---- what is installed


def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    """Write one configuration with a layout a pool; ask for its use, and for the label that chooses the layout."""
    pools = plan.pools_of(component)
    # This configuration replaces the one that the MIG manager makes for itself, so the layout that undoes MIG must be in it too.
    layouts: dict[str, Value] = {WHOLE: [{"devices": "all", "mig-enabled": False}]}
    layouts |= {pool.name: _entries(pool) for pool in pools}
    data = {"config.yaml": Document({"version": "v1", "mig-configs": layouts})}
    config = parts.config_map(component, "fourleaf-mig", data, "the layouts of the pools")
    yield config
    for pool in pools:
        if _layouts(pool):
            yield Ask(topic="mig-strategy", pool=pool.name, value=STRATEGY, origin=config.origin)
        yield Ask(topic="mig-config", pool=pool.name, value=config.ref, origin=config.origin)
        if _reboots(plan, pool):
            yield Ask(topic="mig-reboot", pool=pool.name, value=True, origin=config.origin)
        yield parts.node_label(pool, LABEL, pool.name, "chooses the layout")
        yield from _prepare(pool)
    for pool in plan.pools:
        # The operator gives this label itself as long as nobody changes its default; here somebody did.
        if pool.name not in component.pools and any(card.mig for card in _models(pool)):
            yield parts.node_label(pool, LABEL, WHOLE, "cards of this pool stay whole")


def _entries(pool: Pool) -> Sequence[Value]:
    """Cover every card of a node exactly once: the MIG manager refuses a layout that leaves one out."""
    models = _models(pool)
    layouts = _layouts(pool)
    groups: dict[tuple[tuple[str, ...], tuple[tuple[str, int], ...]], list[int]] = {}
    mixed = len({card.name for card in models}) > 1
    for index, card in enumerate(models):
        told = card.pci if mixed else ()
        groups.setdefault((told, tuple(sorted(layouts.get(index, {}).items()))), []).append(index)
    entries: list[Value] = []
    for (ids, layout), indexes in groups.items():
        entry: dict[str, Value] = {"device-filter": [f"0x{identity.upper()}10DE" for identity in ids]} if ids else {}
        entry["devices"] = "all" if ids or len(indexes) == len(models) else indexes
        entry["mig-enabled"] = bool(layout)
        if layout:
            entry["mig-devices"] = dict(layout)
        entries.append(entry)
    return entries


def _prepare(pool: Pool) -> Iterator[Prerequisite]:
    for name in sorted({_models(pool)[index].name for index in _layouts(pool)}):
        if how := _facts()["prepare"].get(name):
            yield Prerequisite(
                what=f"{name} on the nodes of pool {pool.name} ready to be cut",
                text=how,
                origin=Origin(pool.origin.place, "MIG needs it of the board"),
            )


def _reboots(plan: Plan, pool: Pool) -> bool:
    generations = _facts()["reboot"].get(plan.distribution.name, ())
    return any("*" in generations or _models(pool)[index].architecture in generations for index in _layouts(pool))


# ---- rules


def check(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    for pool in plan.pools_of(component):
        if not pool.partition:
            continue
        place = pool.partition.origin.place
        if not pool.host.systemd:
            yield NO_SYSTEMD.at(
                place,
                f"the MIG manager cannot cut the cards of pool {pool.name}: it waits for systemd, which {pool.host.name} lacks",
                help="write `partition: none` or `{timeSlicing: {replicas: 4}}`, or move the pool to another host",
                note="https://github.com/NVIDIA/mig-parted/issues/356; a privileged pod that runs nvidia-mig-parted itself works",
                on_key=True,
            )
        if _reboots(plan, pool):
            yield REBOOTS.at(
                place,
                f"each node of pool {pool.name} restarts for its layout: {plan.distribution.name} changes MIG mode by nothing less",
                help="drain the nodes first",
                on_key=True,
            )
        yield from _indexes(pool)
        yield from _driver(pool)
        yield from _labels(pool)
        yield from _names(pool)
        yield from _beyond(plan, pool)
    mine = {pool.part_of or pool.name for pool in plan.pools_of(component)}
    yield from (_recut(plan, layouts) for layouts in plan.layouts if layouts.changes and layouts.pool in mine)


def _indexes(pool: Pool) -> Iterator[Diagnostic]:
    """Yield where the same model is cut in two ways beside another model: only the driver knows which index is which card."""
    models, layouts = _models(pool), _layouts(pool)
    names = sorted({card.name for card in models})
    ways: dict[str, set[tuple[tuple[str, int], ...]]] = {}
    for index, card in enumerate(models):
        ways.setdefault(card.name, set()).add(tuple(sorted(layouts.get(index, {}).items())))
    mixed = next((name for name in names if len(ways[name]) > 1), "")
    if len(names) > 1 and mixed and pool.partition:
        yield MODELS.at(
            pool.partition.origin.place,
            f"pool {pool.name} cuts {mixed} in {len(ways[mixed])} ways in one node with {', '.join(sorted({*names} - {mixed}))}",
            help=f"give every {mixed} the same layout",
            note="the driver orders the cards of a node by their slots, so an index may be a card of the other model",
            on_key=True,
        )


def _driver(pool: Pool) -> Iterator[Diagnostic]:
    limits = _facts()["no_whole_cards"]
    version = "" if pool.host.immutable else pool.driver.version  # there it is installed by nobody, which is a rule of its own
    if version and release(limits["first"]) <= release(version) <= release(limits["last"]) and len(_layouts(pool)) < len(_models(pool)):
        yield STUCK.at(
            pool.at("driver", "version"),
            f"with driver {version} pods for the whole cards of pool {pool.name} stay Pending beside its slices",
            help=f"write {limits['instead']}",
            note="https://github.com/NVIDIA/gpu-operator/issues/1361",
        )


def _labels(pool: Pool) -> Iterator[Diagnostic]:
    """Yield slices whose label of product and profile Kubernetes does not take; node-feature-discovery leaves such a label out."""
    models, layouts = _models(pool), _layouts(pool)
    long: dict[str, str] = {}
    for index, layout in layouts.items():
        boards = [name for name in (models[index].product, *models[index].aliases) if name.startswith(f"{VENDOR.upper()} ")]
        for profile, board in ((profile, board) for profile in layout for board in boards):
            value = f"{board.replace(' ', '-')}-MIG-{profile.replace('+', '.')}"
            if len(value) > LABEL_LENGTH:
                long.setdefault(board, f"{resource(profile)}.product={value}")
    for board, label in long.items():
        yield LONG_LABEL.at(
            pool.cut_at,
            f"a node with {board} gets no label {label}: {len(label.partition('=')[2])} characters, Kubernetes takes {LABEL_LENGTH}",
            help="select nodes by other labels",
            note="the slices themselves are there, and so are their other labels",
            on_key=True,
        )


def _names(pool: Pool) -> Iterator[Diagnostic]:
    """Yield profiles that the driver may call otherwise, where nothing says which driver it is."""
    models, layouts = _models(pool), _layouts(pool)
    seen: set[tuple[str, str]] = set()
    for index, layout in layouts.items():
        for name in layout:
            card = models[index]
            found = resolve_profile(table(card.mig), name, pool.driver.version)
            if isinstance(found, Unknown) or not found.other_names or (card.name, name) in seen:
                continue
            seen.add((card.name, name))
            yield NAMES.at(
                pool.cut_at,
                f"profile {name} of {card.name} in pool {pool.name} is {' or '.join(found.other_names)} under other drivers",
                help="write `driver: {version: ...}`, and compare with `nvidia-smi mig -lgip` on a node",
                note="the MIG manager takes no name that the driver does not print",
                on_key=True,
            )


def _beyond(plan: Plan, pool: Pool) -> Iterator[Diagnostic]:
    """Yield what the operator, at its version, does not make of a pool's layouts."""
    operator = next((one for one in plan.components if one.system == OPERATOR and pool.name in one.pools), None)
    if operator is None or pool.partition is None:
        return
    for what, mend in _unmade(pool, release(operator.version)):
        yield BEYOND.at(
            pool.partition.origin.place,
            f"{operator.system} {operator.version} {what}",
            help=mend,
            labels=(Label(operator.pinned, "pinned here"),) if operator.pinned else (),
            note="its MIG manager leaves the node as it is and labels it nvidia.com/mig.config.state=failed",
            on_key=True,
        )


def _unmade(pool: Pool, version: tuple[int, ...]) -> Iterator[tuple[str, str]]:
    """Yield what an operator of some version fails at, and what mends it."""
    known = _facts()["operator"]
    since: Mapping[str, str] = known["since"]
    models, layouts = _models(pool), _layouts(pool)
    tables = {card.name: table(card.mig) for card in models if card.mig}
    if version == release(known["fails"]):
        for card, found in tables.items():
            if any(_variant(profile) in since for profile in found.profiles):
                yield f"fails at {card} in pool {pool.name}, whatever its layout", f"write {max(since.values(), key=release)} or later"
        return
    cut = sorted({(name, models[index].name) for index, layout in layouts.items() for name in layout})
    for name, card in cut:
        first = since.get(_variant(tables[card].profile(name)), "")
        if version < release(first):
            yield f"does not know profile {name} of {card} in pool {pool.name}", f"write {first} or later, or take another profile"
    if version >= release(known["by_card"]):
        return
    for name in sorted({name for name, _ in cut}):
        families = {card: profile.family for card, found in tables.items() if (profile := found.find(name))}
        if len(set(families.values())) > 1:
            differ = " and ".join(f"{family.replace('x2', ' with double memory')} of {card}" for card, family in families.items())
            yield (
                f"takes {name} in pool {pool.name} for one slice, and it is {differ}",
                f"write {known['by_card']} or later, or put the models into nodes, and pools, of their own",
            )


def _variant(profile: Profile) -> str:
    """Return what follows the size in a family's name: "+me.all", "x2"."""
    return profile.family.lstrip("0123456789")[1:]


def _recut(plan: Plan, layouts: Layouts) -> Diagnostic:
    pools = [pool for pool in plan.pools if (pool.part_of or pool.name) == layouts.pool]
    names = ", ".join(layouts.changed) or f"all {layouts.changes} nodes"
    generations = {card.architecture for pool in pools for card in _models(pool) if card.mig}
    resets = sorted(generations & {*_facts()["reset"]})
    restarts = any(_reboots(plan, pool) for pool in pools)
    effect = (
        f"{' and '.join(resets)} cards are reset where they take or leave MIG mode, in a virtual machine by a restart" if resets else ""
    )
    return RECUT.at(
        layouts.origin.place,
        f"{names} of pool {layouts.pool} must be cut anew: pods on those cards must go first",
        help="drain them before this set is applied: "
        + (f"`kubectl drain {' '.join(layouts.changed)} --ignore-daemonsets`" if layouts.changed else "node by node"),
        note="the MIG manager stops its own pods and no others; a card in use fails"
        + ("; each node restarts" if restarts else f"; {effect}" if effect else "; no card is reset for it"),
        on_key=True,
    )


def _facts() -> Mapping[str, Any]:
    return record("mig").facts


SYSTEM = System(
    name="mig",
    answers=("partition", "mig"),
    vendor=VENDOR,
    rules=(NO_SYSTEMD, REBOOTS, MODELS, STUCK, RECUT, LONG_LABEL, NAMES, BEYOND),
    supplies=supplies,
    check=check,
    lower=lower,
)
