"""What NVIDIA's allocators have in common: who brings driver and container runtime to a host, and which driver moves a card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.hardware import Card, Host
from fourleaf.ir import Ask, Component, Object, Origin, Plan, Pool, Prerequisite, Value
from fourleaf.kube import Toleration
from fourleaf.systems.record import record, release

VENDOR = "nvidia"
RESOURCE = "nvidia.com/gpu"
TOLERATION = Toleration("nvidia.com/gpu", "NoSchedule")
"""Given to every pod that gets a card, declared taint or not: joining tools and clouds set it, the operator does not."""

NO_DRIVER = Rule("FL158", "cards-without-driver", Severity.ERROR, "no driver moves all cards of a node")
SECOND_PLUGIN = Rule("FL159", "second-device-plugin", Severity.ERROR, "the nodes run a device plugin of their own")

RULES = (NO_DRIVER, SECOND_PLUGIN)


class Ways(Struct, frozen=True, kw_only=True):
    """How driver and container toolkit come to one kind of host."""

    images: tuple[str, ...] = ()
    """Versions of the host for which a driver image is published; "*": all."""
    driver: str = "host"
    """Who brings it unless the spec says otherwise: "operator" or "host"."""
    toolkit: str = "operator"
    root: str = ""
    """Where the host keeps the driver; empty: where everybody looks."""
    toolkit_dir: str = ""
    how: str = ""
    """What a person does where the host brings the driver."""
    own_plugin: str = ""
    """The device plugin that the host runs, and what sets it; empty where it runs none."""
    refused: str = ""
    """Why the operator does not run there; empty where it does."""


def ways(plan: Plan, pool: Pool) -> Ways:
    """Return what is known of a pool's hosts; those that nobody mentions bring their driver themselves."""
    known: Mapping[str, Mapping[str, Any]] = _facts()["hosts"]
    said = {**(known.get(pool.host.name) or known.get(pool.host.family) or {}), **_facts()["nodes"].get(plan.distribution.name, {})}
    return Ways(**said | {"images": tuple(said.get("images", ()))})


def published(plan: Plan, pool: Pool) -> bool:
    """Tell whether NVIDIA publishes driver images for a pool's host: for "9", that is 9.0 to 9.8."""
    version = pool.host.version
    return any(image in ("*", version) or version.startswith(f"{image}.") for image in ways(plan, pool).images)


def driver_by_operator(plan: Plan, pool: Pool) -> bool:
    """Tell whether the operator is to bring the driver to a pool: as the spec says, else as suits the host."""
    if pool.driver.owner != "auto":
        return pool.driver.owner == "operator" and not pool.host.immutable  # the latter is an error of its own
    return ways(plan, pool).driver == "operator" and published(plan, pool)


def cards(pools: Sequence[Pool]) -> tuple[Card, ...]:
    """Return NVIDIA's models in some pools."""
    found = {gpu.card.name: gpu.card for pool in pools for gpu in pool.gpus if gpu.card.vendor == VENDOR}
    return tuple(found[name] for name in sorted(found))


def open_modules(card: Card) -> str:
    """Return "required", "supported", or "no"."""
    return card.traits.get("openModules", "supported")


def too_old(card: Card, driver: str, cut: bool) -> str:
    """Return the oldest driver of a card where `driver` is older; empty where it will do.

    Args:
        cut: the card is to be cut into instances, which takes a newer driver than to use it whole.
    """
    # The catalogue's minDriver of a card that can be cut is the first that cuts it.
    least = card.traits.get("minDriver", "") if cut or not card.mig else ""
    least = least or _facts()["architectures"].get(card.architecture, "")
    return least if least and release(driver) < release(least) else ""


def too_new(card: Card, driver: str) -> str:
    """Return the last branch that moves a card where `driver` is newer; empty where it will do."""
    last = card.traits.get("lastDriver", "")
    return last if last and release(driver)[:1] > release(last)[:1] else ""


def moves(card: Card, driver: str, cut: bool) -> bool:
    return not too_old(card, driver, cut) and not too_new(card, driver)


def is_cut(pool: Pool) -> bool:
    """Tell whether cards of a pool are cut into instances."""
    return bool(pool.partition and pool.partition.cuts)


def drivers(chart: str) -> tuple[str, ...]:
    """Return the driver versions of a chart, its default first; of one that is not known, those of the last known before it."""
    known: Mapping[str, Sequence[str]] = _facts()["drivers"]
    older = [version for version in known if release(version) <= release(chart)]
    return tuple(known[max(older, key=release)]) if older else ()


def branches() -> Sequence[int]:
    """Return the branches of the driver, oldest first, from the first that is known on: 580."""
    found: Sequence[int] = _facts()["branches"]
    return found


def driver_by_person(plan: Plan, pool: Pool) -> Prerequisite:
    """Return what a person does where a pool's host brings the driver, and no image of it is known to."""
    how = ways(plan, pool).how or f"install it: {_facts()['install']}"
    return Prerequisite(
        what=f"NVIDIA's driver on the nodes of pool {pool.name} ({pool.host.name})",
        text=f"{how}\nOn each node `nvidia-smi` must list its cards.",
        origin=Origin(pool.origin.place, "the host brings the driver"),
    )


# ---- Talos: driver and runtime are extensions of its image


def channel(pool: Pool) -> tuple[str, str]:
    """Return the channel of Talos' extensions whose driver moves every card of a pool, and that driver; empty where none does."""
    for name, driver in _channels(pool.host).items():
        if all(moves(card, driver, is_cut(pool)) for card in cards([pool])):
            return name, driver
    return "", ""


def _channels(host: Host) -> Mapping[str, str]:
    known: Mapping[str, Mapping[str, str]] = _facts()["talos"]["channels"]
    newest = max(known, key=release)
    return known.get(host.version) or (known[newest] if release(host.version) > release(newest) else {})


def talos_setup(pool: Pool, setup: Mapping[str, Value]) -> Ask:
    """Ask Talos for driver, toolkit and what else `setup` says (as its system reads it)."""
    facts = _facts()["talos"]
    name, _ = channel(pool)
    kind = "proprietary" if any(open_modules(card) == "no" for card in cards([pool])) else "open"
    extensions = [facts["toolkit"] + name, facts["modules"][kind] + name] if name else []
    sysctls = facts["sysctls"]["set"] if release(pool.host.version) <= release(facts["sysctls"]["until"]) else {}
    modules = facts["load_mig" if is_cut(pool) else "load"]
    value: Mapping[str, Value] = {"extensions": extensions, "modules": modules, "sysctls": sysctls, **setup}
    return Ask(topic="host-setup", pool=pool.name, value=value, origin=Origin(pool.origin.place, "the host brings the driver"))


def talos_cdi() -> Sequence[str]:
    """Return the directories in which containerd must find the CDI specification that the extension writes."""
    found: Sequence[str] = _facts()["talos"]["cdi"]
    return found


def quota(plan: Plan, component: Component) -> Iterator[Object]:
    """Yield the quota without which a distribution lets no critical pod into a component's namespace."""
    facts = _facts()["quota"]
    if plan.distribution.name in facts["distributions"]:
        scope: Value = {"scopeName": "PriorityClass", "operator": "In", "values": facts["classes"]}
        yield Object(
            api_version="v1",
            kind="ResourceQuota",
            name=component.system,
            namespace=component.namespace,
            body={"spec": {"hard": {"pods": facts["pods"]}, "scopeSelector": {"matchExpressions": [scope]}}},
            origin=Origin(component.origin.place, f"{plan.distribution.name} lets critical pods in only where a quota counts them"),
        )


def toolkit_guide() -> str:
    guide: str = _facts()["toolkit"]
    return guide


def chart_refused(distribution: str) -> str:
    """Return why the operator's chart is not the way on a distribution; empty where it is."""
    why: str = _facts()["refused"].get(distribution, "")
    return why


# ---- rules of whoever allocates the cards


def check(plan: Plan, pool: Pool) -> Iterator[Diagnostic]:
    yield from _no_driver(pool)
    yield from _second_plugin(plan, pool)


def _no_driver(pool: Pool) -> Iterator[Diagnostic]:
    mine = {gpu.card.name: index for index, gpu in enumerate(pool.gpus) if gpu.card.vendor == VENDOR}
    models = cards([pool])
    old, new = ([card.name for card in models if open_modules(card) == need] for need in ("no", "required"))
    if old and new:
        yield NO_DRIVER.at(
            pool.at("gpus", mine[new[0]], "card"),
            f"{new[0]} runs with open kernel modules only and {old[0]} with proprietary ones, in one node of pool {pool.name}",
            help="put them into different nodes",
            labels=(Label(pool.at("gpus", mine[old[0]], "card"), old[0]),),
        )
    elif pool.host.family == "talos" and not channel(pool)[0]:
        offered = ", ".join(f"{driver} ({name})" for name, driver in _channels(pool.host).items()) or "none that is known"
        yield NO_DRIVER.at(
            pool.at("gpus", min(mine.values()), "card"),
            f"no driver extension of {pool.host.name} moves {', '.join(sorted(mine))} in pool {pool.name}: it has {offered}",
            help="choose another Talos, or split the pool by card",
            labels=(Label(pool.at("os"), pool.host.name),),
        )


def _second_plugin(plan: Plan, pool: Pool) -> Iterator[Diagnostic]:
    own = ways(plan, pool).own_plugin
    if own:
        yield SECOND_PLUGIN.at(
            pool.at("os"), f"{pool.host.name} in pool {pool.name} runs {own}", help="use what it offers, and leave the pool out"
        )  # fmt: skip
    by_label: Mapping[str, Mapping[str, str]] = _facts()["own_plugin"]
    off = by_label.get(plan.distribution.name, {})
    if off and not off.items() <= pool.labels.items():
        told = ", ".join(f"{key}: {value!r}" for key, value in off.items())
        yield SECOND_PLUGIN.at(
            pool.at("labels"),
            f"{plan.distribution.name} runs its own device plugin on pool {pool.name}, its nodes lack the label that stops it",
            help=f"create the node pool with it and write `labels: {{{told}}}`".replace("'", '"'),
        )


def _facts() -> Mapping[str, Any]:
    return record("nvidia-host").facts
