"""Compute and memory modes of AMD's cards: the operator's Device Config Manager sets them, by a profile that a node's label chooses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Rule, Severity
from fourleaf.ir import Ask, Component, Cut, Origin, Part, Plan, Pool, Prerequisite, Resource, Supply
from fourleaf.kube import Taint, Toleration
from fourleaf.partition import Mode, modes
from fourleaf.systems import parts
from fourleaf.systems.record import record
from fourleaf.systems.system import Supplies, System

NAME = "device-config-manager"
VENDOR = "amd"
LABEL = "dcm.amd.com/gpu-config-profile"
STATE = "dcm.amd.com/gpu-config-profile-state"
TAINT = Taint("amd-dcm", "up", "NoExecute")
"""What a person sets on a node while its cards are partitioned, so that nothing uses them."""
STRATEGY = "mixed"
"""Always: under `single` parts and whole cards have one name, and a node with several modes offers nothing."""

NO_SYSTEMD = Rule(
    "FL234", "config-manager-without-systemd", Severity.ERROR, "the Device Config Manager cannot run on a host", allowable=False
)
UNTRIED = Rule("FL235", "config-manager-on-untried-host", Severity.WARNING, "a host for which the Device Config Manager is not documented")
UNKNOWN = Rule(
    "FL236", "mode-not-set-by-config-manager", Severity.ERROR, "a mode that the Device Config Manager does not set", allowable=False
)
UNVALIDATED = Rule("FL237", "mode-not-validated", Severity.WARNING, "a mode of a card that AMD does not say it has validated")
DECLARED = Rule(
    "FL240",
    "partitioning-taint-declared",
    Severity.ERROR,
    "the taint under which cards are partitioned, declared for good",
    allowable=False,
)
SEVERAL = Rule("FL238", "several-modes-in-one-node", Severity.WARNING, "several compute modes in one node, which AMD does not support")


def supplies(pool: Pool, below: Supplies) -> Supplies:
    """Turn whole cards into parts, a name for each mode. A card in a mode of one part stays whole, under the mode's name."""
    if not below or not pool.partition:
        return below
    counts: dict[str, Counter[int]] = {}
    for cut, _, mode in _modes(pool):
        counts.setdefault(mode.name, Counter())[mode.parts] += len(cut.cards)
    return tuple(_parts(below[0], name, counts[name]) for name in sorted(counts))


def _parts(whole: Supply, name: str, cards: Mapping[int, int]) -> Supply:
    """Return the parts of one mode, of which only what is true of all is promised.

    Args:
        cards: parts that a card becomes to how many cards become so many.
    """
    most = max(cards)
    return replace(
        whole,
        resource=Resource(f"amd.com/{name}", whole.resource.by),
        per_node=sum(parts * count for parts, count in cards.items()),
        unit="slice" if most > 1 else "card",
        memory_bytes=whole.memory_bytes // most,
        portion=1 / most,
        traits=whole.traits | {("modes", name)},
    )


def _modes(pool: Pool) -> Sequence[tuple[Cut, str, Mode]]:
    """Return each cut, which is of cards of one model, with that model and the mode."""
    cards = [card.name for card in pool.models(VENDOR)]
    cuts = [(cut, cards[cut.cards[0]]) for cut in (pool.partition.cuts if pool.partition else ())]
    return [(cut, card, modes(card)[cut.parts[0][0]]) for cut, card in cuts]


def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    """Write one configuration with a profile a pool; ask for its use, and for the label that chooses the profile."""
    pools = plan.pools_of(component)
    tree = {"gpu-config-profiles": {pool.name: _profile(pool) for pool in pools}, "gpuClientSystemdServices": _facts()["services"]}
    data = {"config.json": json.dumps(tree, indent=2) + "\n"}
    config = parts.config_map(component, "fourleaf-amd-modes", data, "the modes of the pools")
    yield config
    tolerated = Toleration(TAINT.key, TAINT.effect, "Equal", TAINT.value)
    for pool in pools:
        yield Ask(topic="device-config", pool=pool.name, value=config.ref, origin=config.origin)
        yield Ask(topic="resource-naming", pool=pool.name, value=STRATEGY, origin=config.origin)
        # A node from which discovery's worker is driven would lose the label in the middle of it (values.yaml of AMD's chart).
        yield Ask(topic="discovery-toleration", pool=pool.name, value=tolerated.manifest(), origin=config.origin)
        yield parts.node_label(pool, LABEL, pool.name, "chooses the modes")
        yield _by_hand(pool)


def _profile(pool: Pool) -> Mapping[str, Any]:
    """Return the profile of a pool: the numbers must make up the cards of a node."""
    entries = [
        {"computePartition": mode.compute.upper(), "memoryPartition": mode.memory.upper(), "numGPUsAssigned": len(cut.cards)}
        for cut, _, mode in _modes(pool)
    ]
    return {"profiles": entries}


def _by_hand(pool: Pool) -> Prerequisite:
    nodes = parts.nodes_of(pool)
    each = " ".join(f"node/{node}" for node in pool.nodes) if pool.nodes else f"nodes {nodes}"
    done = STATE.replace(".", r"\.")
    lines = [
        f"Give the pods of kube-system that a node cannot do without (network, DNS) a toleration of {TAINT}.",
        "Then, before this set is applied:",
        f"  kubectl label nodes {nodes} {STATE}-",
        f"  kubectl taint nodes {nodes} {TAINT} --overwrite",
        "Every other pod goes from them, AMD's device plugin too. The operator and node-feature-discovery's master must run elsewhere:",
        "where there is no other node for them, taint the last one only once the set is applied.",
        "Once the set is applied and the cards are partitioned, let pods back; the device plugin then finds the new parts:",
        f"  kubectl wait {each} --for=jsonpath='{{.metadata.labels.{done}}}'=success --timeout=15m",
        f"  kubectl taint nodes {nodes} {TAINT.key}:{TAINT.effect}-",
        "The same after a restart of a node or of its driver: cards come back whole, and the manager partitions them at its start.",
    ]
    return Prerequisite(
        what=f"the nodes of pool {pool.name} free of pods that use their cards, while their modes change",
        text="\n".join(lines),
        origin=Origin(pool.cut_at, "cards in use cannot be partitioned"),
    )


def check(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    for pool in plan.pools_of(component):
        yield from _host(pool)
        yield from _declared(pool)
        chosen = dict.fromkeys((card, mode) for _, card, mode in _modes(pool))
        for card, mode in chosen:
            yield from _mode(pool, card, mode)
        found = {mode.name for _, mode in chosen}
        if len(found) > 1:
            yield SEVERAL.at(
                pool.cut_at,
                f"each node of pool {pool.name} has cards in {' and in '.join(sorted(found))}",
                help="write one mode for all of them",
                note="AMD neither recommends nor supports it (ROCm/gpu-operator v1.5.1 docs/dcm/device-config-manager-configmap.md)",
                on_key=True,
            )


def _host(pool: Pool) -> Iterator[Diagnostic]:
    if not pool.host.systemd:
        yield NO_SYSTEMD.at(
            pool.cut_at,
            f"the Device Config Manager cannot partition the cards of pool {pool.name}: it stops services of systemd, "
            f"which {pool.host.name} lacks",
            help="write `partition: none`, or move the pool to another host",
            on_key=True,
        )
    elif pool.host.name not in _facts()["hosts"]:
        yield UNTRIED.at(
            pool.cut_at,
            f"the Device Config Manager is documented for {' and '.join(_facts()['hosts'])}, pool {pool.name} has {pool.host.name}",
            help="try it on one node first",
            on_key=True,
        )


def _declared(pool: Pool) -> Iterator[Diagnostic]:
    index = next((number for number, taint in enumerate(pool.taints) if taint.key == TAINT.key), None)
    if index is not None:
        yield DECLARED.at(
            pool.at("taints", index),
            f"pool {pool.name} declares {pool.taints[index]}, under which its cards are partitioned, and what is declared is tolerated",
            help="take it out of `taints`: the set's README says when to set it",
            note="the device plugin would outlive the change of modes, and offer what was there before (ROCm/gpu-operator#382)",
        )


def _mode(pool: Pool, card: str, mode: Mode) -> Iterator[Diagnostic]:
    known: Sequence[str] = _facts()["compute"]
    if mode.compute not in known:
        able = [name for name, other in modes(card).items() if other.compute in known and other.parts > 1]
        yield UNKNOWN.at(
            pool.cut_at,
            f"the Device Config Manager does not set {mode.name} of {card}: it refuses other compute modes than {', '.join(known)}",
            help=f"write {' or '.join(able)}" if able else "write `partition: none`",
            on_key=True,
        )
    elif not mode.validated:
        validated = [name for name, other in modes(card).items() if other.validated and other.parts > 1]
        so = ", ".join(validated) or "none but spx_nps1, in which it comes"
        yield UNVALIDATED.at(
            pool.cut_at,
            f"AMD does not say that it has validated {mode.name} of {card}; it says so of {so}",
            help="compare with /sys/module/amdgpu/drivers/pci:amdgpu/*/available_compute_partition on a node",
            on_key=True,
        )


def _facts() -> Mapping[str, Any]:
    return record(NAME).facts


SYSTEM = System(
    name=NAME,
    answers=("partition", "modes"),
    vendor=VENDOR,
    on=("operator",),
    rules=(NO_SYSTEMD, UNTRIED, UNKNOWN, UNVALIDATED, SEVERAL, DECLARED),
    supplies=supplies,
    check=check,
    lower=lower,
)
