"""What the GPU Operator's one chart sets for all of its pools, what each pool would have it set, and where the two cannot meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from fourleaf.diag import Diagnostic, Label, Path, Rule, Severity
from fourleaf.hardware import Card
from fourleaf.ir import Component, Plan, Pool
from fourleaf.systems import nvidia_host
from fourleaf.systems.nvidia_host import VENDOR
from fourleaf.systems.record import record, release

NO_IMAGE = Rule("FL150", "driver-without-image", Severity.ERROR, "the operator is to bring a driver for which no image is published")
DISAGREE = Rule("FL151", "hosts-that-disagree", Severity.ERROR, "one chart cannot suit the hosts of two pools", allowable=False)
HOST_AND_CHART = Rule("FL152", "operator-does-not-fit-host", Severity.ERROR, "a version of the operator does not work on a host")
PAST_LIFE = Rule("FL153", "operator-past-its-life", Severity.WARNING, "the operator's version is out of support")
MODULES = Rule("FL154", "kernel-modules-do-not-fit-card", Severity.ERROR, "a card cannot be driven by these kernel modules")
DRIVER = Rule("FL155", "driver-does-not-fit-card", Severity.ERROR, "a card cannot be driven by this driver")
HELD_BACK = Rule("FL156", "driver-held-back", Severity.NOTE, "an older driver for all, because one card has no newer")
REFUSED = Rule("FL157", "host-without-operator", Severity.ERROR, "the operator does not run on a host")
ENV = Rule("FL161", "env-value-not-text", Severity.ERROR, "an environment variable of an operand that is no text", allowable=False)

SWITCHED_OFF = Rule("FL163", "operator-off-by-label", Severity.ERROR, "a label of the nodes switches off what their pods count on")
NO_BRANCH = Rule("FL164", "driver-of-unknown-branch", Severity.WARNING, "a driver version of a branch that is not known")
BARE_BRANCH = Rule("FL165", "driver-version-is-branch", Severity.ERROR, "a branch where the operator needs the whole version of a driver")
RULES = (
    NO_BRANCH,
    BARE_BRANCH,
    NO_IMAGE,
    SWITCHED_OFF,
    DISAGREE,
    HOST_AND_CHART,
    PAST_LIFE,
    MODULES,
    DRIVER,
    HELD_BACK,
    REFUSED,
    ENV,
    *nvidia_host.RULES,
)


class Settings(Struct, frozen=True, kw_only=True):
    """What one pool needs of the chart's values, which hold for the whole cluster."""

    chart: str
    driver: bool
    """The operator brings the driver."""
    image: str
    """The host that the driver's image is for; empty where the host brings the driver."""
    toolkit: bool
    toolkit_dir: str
    root: str
    """Where the host keeps its driver; empty for the chart's default."""
    markers: bool
    """The validator cannot see the host's driver: files stand in for its word, and CDI is off."""
    version: str
    """Of the driver; empty for the chart's default."""
    modules: str


_WORDS: Mapping[str, tuple[str, str, str]] = {
    # field: (what it is called, the pool's key to look at, what to do)
    "chart": ("operator", "os", "bring the nodes of both pools to one host"),
    "driver": ("driver.enabled", "driver", "write `driver: host` for both and install it on their nodes"),
    "image": ("a driver image for", "os", "write `driver: host` for both and install it on their nodes"),
    "toolkit": ("toolkit.enabled", "os", "bring the nodes of both pools to one host"),
    "toolkit_dir": ("toolkit.installDir", "os", "bring the nodes of both pools to one host"),
    "root": ("hostPaths.driverInstallDir", "os", "bring the nodes of both pools to one host"),
    "markers": ("CDI off", "os", "bring the nodes of both pools to one host"),
    "version": ("driver.version", "driver", "give both pools the same driver"),
    "modules": ("driver.kernelModuleType", "driver", "give both pools the same driver"),
}


def settings(pool: Pool, plan: Plan, component: Component) -> Settings:
    """Return what a pool needs; a plan without errors has pools that all need the same."""
    known = record("gpu-operator")
    ways = nvidia_host.ways(plan, pool)
    driver = nvidia_host.driver_by_operator(plan, pool)
    return Settings(
        chart=component.version if component.pinned else known.pins.get(pool.host.name, known.version),
        driver=driver,
        image=pool.host.name if driver else "",
        toolkit=ways.toolkit == "operator",
        toolkit_dir=ways.toolkit_dir,
        root="" if driver else ways.root,
        markers=before_talos(pool),
        version=(pool.driver.version or _held_back(plan, component)) if driver else "",
        modules=pool.driver.kernel_modules if driver else "",
    )


def before_talos(pool: Pool) -> bool:
    """Tell whether a pool's host is a Talos whose driver the operator cannot see."""
    return pool.host.family == "talos" and release(pool.host.version) < release(_facts()["talos"]["host"])


def first_talos() -> str:
    """Return the first version of Talos whose driver the operator sees."""
    first: str = _facts()["talos"]["host"]
    return first


def _managed(plan: Plan, component: Component) -> Sequence[Pool]:
    return [pool for pool in plan.pools_of(component) if nvidia_host.driver_by_operator(plan, pool)]


def _held_back(plan: Plan, component: Component) -> str:
    """Return the driver that moves every card where the chart's default does not; empty where it does, or none would."""
    pools = _managed(plan, component)
    usual, *others = nvidia_host.drivers(component.version) or ("",)
    if all(_moves(pool, usual) for pool in pools):
        return ""
    return next((driver for driver in others if all(_moves(pool, driver) for pool in pools)), "")


def _moves(pool: Pool, driver: str) -> bool:
    return all(nvidia_host.moves(card, driver, nvidia_host.is_cut(pool)) for card in nvidia_host.cards([pool]))


# ---- rules


def check(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    pools = plan.pools_of(component)
    if why := nvidia_host.chart_refused(plan.distribution.name):
        yield REFUSED.at(("spec", "kubernetes", "distribution"), why, help="install it from there, and leave NVIDIA's pools out")
        return
    sound: list[Pool] = []
    unpinned: list[Pool] = []
    for pool in pools:
        if why := nvidia_host.ways(plan, pool).refused:
            yield REFUSED.at(pool.at("os"), f"the GPU Operator does not run on pool {pool.name}: {why}", help="choose another host")
            continue
        unfit = [*nvidia_host.check(plan, pool), *_no_image(plan, pool)]
        yield from unfit
        yield from _switched_off(plan, pool, component)
        sound += [pool] if not unfit else []
        if pool.host.family == "talos":
            yield from _talos(pool, component)
        if nvidia_host.driver_by_operator(plan, pool):
            yield from _pinned(pool, component)
            unpinned += [pool] if not unfit and not pool.driver.version else []
    yield from _disagreement(sound, plan, component)
    yield from _env(component)
    yield from _default_driver(unpinned, plan, component)
    if release(component.version) < release(_facts()["supported"]):
        forced = next((pool for pool in pools if record("gpu-operator").pins.get(pool.host.name) == component.version), None)
        yield PAST_LIFE.at(
            component.pinned or (forced or pools[0]).at("os"),
            f"GPU Operator {component.version} gets no fixes any more" + (f", and {forced.host.name} takes no newer" if forced else ""),
            help=f"upgrade the nodes to talos-{_facts()['talos']['host']}" if forced else f"write {record('gpu-operator').version}",
        )


def _disagreement(pools: Sequence[Pool], plan: Plan, component: Component) -> Iterator[Diagnostic]:
    """Yield one diagnostic for each pool that needs something else than the first."""
    if not pools:
        return
    first, *others = pools
    want = settings(first, plan, component)
    for pool in others:
        need = settings(pool, plan, component)
        apart = [field for field in _WORDS if getattr(need, field) != getattr(want, field)]
        if not apart:
            continue
        name, key, mend = _WORDS[apart[0]]
        mine, theirs = (_show(getattr(one, apart[0])) for one in (need, want))
        more = ", ".join(_WORDS[field][0] for field in apart[1:])
        yield DISAGREE.at(
            pool.at(key),
            f"pool {pool.name} on {pool.host.name} needs {name} {mine}, pool {first.name} on {first.host.name} needs {theirs}",
            help=mend,
            note="one GPU Operator sets it for the whole cluster" + (f"; they also differ in {more}" if more else ""),
            labels=(Label(first.at(key), f"pool {first.name}: {theirs}"),),
        )


def _show(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value) or "the default"


def _switched_off(plan: Plan, pool: Pool, component: Component) -> Iterator[Diagnostic]:
    """Yield the labels that the nodes carry already and with which the operator leaves them without a resource."""
    allocates = any(supply.pool == pool.name and supply.allocator == component.system for supply in plan.supplies)
    for label, what in _facts()["switches"].items():
        if allocates and pool.labels.get(label) == "false":
            yield SWITCHED_OFF.at(
                pool.at("labels", label),
                f'label {label}: "false" keeps {what} off the nodes of pool {pool.name}, so they offer no GPU',
                help="take the label off the nodes and out of the spec, or take the pool's `gpus` out",
            )


def _no_image(plan: Plan, pool: Pool) -> Iterator[Diagnostic]:
    # An immutable host takes no driver from anybody, which is a rule of its own.
    if pool.driver.owner == "operator" and not pool.host.immutable and not nvidia_host.published(plan, pool):
        yield NO_IMAGE.at(
            pool.driver.origin.place,
            f"pool {pool.name} leaves the driver to the operator, and NVIDIA publishes no driver image for {pool.host.name}",
            help="write `driver: host` and install it on the nodes",
            note="the driver's pod would stay in ImagePullBackOff",
        )


def _talos(pool: Pool, component: Component) -> Iterator[Diagnostic]:
    facts = _facts()["talos"]
    place: Path = component.pinned or pool.at("os")
    newer = release(component.version) >= release(facts["chart"])
    if before_talos(pool) and newer:
        fit = record("gpu-operator").pins.get(pool.host.name, "v25.10.1")
        yield HOST_AND_CHART.at(
            place,
            f"GPU Operator {component.version} does not see the driver of {pool.host.name} in pool {pool.name}",
            help=f"write {fit}, or upgrade the nodes to talos-{facts['host']}",
            note="the driver extension has nvidia-smi and a CDI specification where the operator looks only from Talos 1.13 on",
        )
    elif not before_talos(pool) and not newer:
        yield HOST_AND_CHART.at(
            place,
            f"GPU Operator {component.version} does not work on {pool.host.name} in pool {pool.name}",
            help=f"write {facts['chart']} or later",
        )


def _pinned(pool: Pool, component: Component) -> Iterator[Diagnostic]:
    """Yield where driver and kernel modules of the spec cannot drive the pool's cards, or are not known to be there."""
    known, branch = nvidia_host.branches(), release(pool.driver.version)[:1]
    if branch >= (known[0],) and branch[0] not in known:
        usual, *_ = nvidia_host.drivers(component.version) or (str(known[-1]),)
        yield NO_BRANCH.at(
            pool.at("driver", "version"),
            f"driver {pool.driver.version} of pool {pool.name} is of no branch that is known, they end at R{known[-1]}",
            help=f"write {usual}, or accept it under `policy.allow`",
            note="where NVIDIA publishes no image of it, the driver's pod stays in ImagePullBackOff",
        )
    whole = [*_not_whole(pool, component)]
    yield from whole
    for index, gpu in _gpus(pool):
        card, modules, driver = gpu, pool.driver.kernel_modules, "" if whole else pool.driver.version
        labels = (Label(pool.at("gpus", index, "card"), card.name),)
        need = {"required": "open", "no": "proprietary"}.get(nvidia_host.open_modules(card), "")
        if need and modules in {"open", "proprietary"} - {need}:
            yield MODULES.at(
                pool.at("driver", "kernelModules"),
                f"{card.name} in pool {pool.name} runs with {need} kernel modules only",
                help=f"write `kernelModules: {need}`, or take it out",
                labels=labels,
            )
        if driver and (least := nvidia_host.too_old(card, driver, nvidia_host.is_cut(pool))):
            yield DRIVER.at(
                pool.at("driver", "version"),
                f"{card.name} in pool {pool.name} needs driver {least} or newer, this is {driver}",
                help=f"write {_offered(component, card, pool) or f'{least} or newer'}",
                labels=labels,
            )
        if driver and (last := nvidia_host.too_new(card, driver)):
            yield DRIVER.at(
                pool.at("driver", "version"),
                f"R{last} is the last driver of {card.name} in pool {pool.name}, this is {driver}",
                help=f"write {_offered(component, card, pool) or f'a version of {last}'}",
                labels=labels,
            )


def _not_whole(pool: Pool, component: Component) -> Iterator[Diagnostic]:
    """Yield a branch in place of a version. Only precompiled drivers have images by branch; what is in other registries nobody knows."""
    version, raw = pool.driver.version, component.values.get("driver")
    if not version.isdecimal() or (isinstance(raw, Mapping) and (raw.get("usePrecompiled") or raw.get("repository"))):
        return
    moving = [driver for driver in nvidia_host.drivers(component.version) if _moves(pool, driver)]
    mine = [driver for driver in moving if release(driver)[:1] == release(version)]
    first = next(iter(mine or moving), "")
    yield BARE_BRANCH.at(
        pool.at("driver", "version"),
        f"{version} is a branch of drivers, and NVIDIA publishes images for pool {pool.name} by their whole version",
        help=f"write {first}" + ("" if mine else f", or the version of R{version} that is meant")
        if first
        else f"write a version of R{version}",
        note="the driver's pod would stay in ImagePullBackOff",
    )


def _env(component: Component) -> Iterator[Diagnostic]:
    """Yield the raw environment variables that ClusterPolicy would refuse."""
    for operand, values in component.values.items():
        env = values.get("env") if isinstance(values, Mapping) else None
        for index, one in enumerate(env if isinstance(env, Sequence) else ()):
            value = one.get("value") if isinstance(one, Mapping) else None
            if value is not None and not isinstance(value, str):
                yield ENV.at(
                    (*component.values_place, operand, "env", index, "value"),
                    f"ClusterPolicy takes text for variables of {operand}, this is {_show(value)}",
                    help=f'write "{_show(value)}"',
                )


def _offered(component: Component, card: Card, pool: Pool) -> str:
    """Return the first driver of the chart that moves a card; empty where none does."""
    return next((driver for driver in nvidia_host.drivers(component.version) if _fits(card, driver, pool)), "")


def _default_driver(pools: Sequence[Pool], plan: Plan, component: Component) -> Iterator[Diagnostic]:
    """Yield what follows from cards that the chart's own driver does not move."""
    usual, *_ = nvidia_host.drivers(component.version) or ("",)
    stuck = [(pool, index, card) for pool in pools for index, card in _gpus(pool) if usual and not _fits(card, usual, pool)]
    if not stuck:
        return
    instead = _held_back(plan, component)
    pool, index, card = stuck[0]
    others = [other for other in nvidia_host.cards(pools) if other.name not in {one.name for _, _, one in stuck}]
    if not instead:
        yield DRIVER.at(
            pool.at("gpus", index, "card"),
            f"driver {usual} of chart {component.version} does not move {card.name} in pool {pool.name}, nor does any other move all cards",
            help="write `driver: {version: ...}` on the pools, or give the card a cluster of its own",
        )
    elif others:
        yield HELD_BACK.at(
            pool.at("gpus", index, "card"),
            f"every node gets driver {instead} instead of {usual}, because {card.name} in pool {pool.name} has no newer",
            help=f"write `driver: {{version: {instead}}}` to say so yourself",
            labels=tuple(Label(one.at("gpus"), f"pool {one.name}") for one in pools if one is not pool)[:3],
        )


def _fits(card: Card, driver: str, pool: Pool) -> bool:
    return nvidia_host.moves(card, driver, nvidia_host.is_cut(pool))


def _gpus(pool: Pool) -> Iterator[tuple[int, Card]]:
    return ((index, gpu.card) for index, gpu in enumerate(pool.gpus) if gpu.card.vendor == VENDOR)


def _facts() -> Mapping[str, Any]:
    return record("gpu-operator").facts
