"""Pools: words for cards and hosts become records of the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Label, Path
from fourleaf.hardware import Distribution, Host
from fourleaf.hardware.catalogue import distributions, find_card, find_host, hosts, hosts_of
from fourleaf.ir import Driver, Gpu, Origin, Pool
from fourleaf.kube import Taint, Version
from fourleaf.kube.quantity import bytes_of
from fourleaf.resolve.lookup import unknown
from fourleaf.resolve.partition import partition
from fourleaf.resolve.rules import AMBIGUOUS_CARD, MISMATCH, UNKNOWN_CARD, UNKNOWN_HOST

if TYPE_CHECKING:
    from fourleaf.spec.models import ClusterSpec
    from fourleaf.spec.pools import Pool as PoolSpec


def pools(spec: ClusterSpec, distribution: Distribution, version: Version, found: list[Diagnostic]) -> tuple[Pool, ...]:
    """Return the pools by name; what cannot be looked up goes to `found`."""
    made = [_pool(pool, ("spec", "pools", index), distribution, version, found) for index, pool in enumerate(spec.pools)]
    return tuple(sorted((pool for pool in made if pool), key=lambda pool: pool.name))


def _pool(pool: PoolSpec, place: Path, distribution: Distribution, version: Version, found: list[Diagnostic]) -> Pool | None:
    gpus = [_gpu(gpu.card, gpu.count, (*place, "gpus", index, "card"), found) for index, gpu in enumerate(pool.gpus)]
    host = _host(pool, place, distribution, version, found)
    known = tuple(gpu for gpu in gpus if gpu)
    if host is None or len(known) != len(gpus):
        return None
    driver = _driver(pool, place)
    return Pool(
        name=pool.name,
        count=pool.count or len(pool.nodes),
        nodes=tuple(sorted(pool.nodes)),
        host=host,
        gpus=known,
        labels=dict(sorted(pool.labels.items())),
        taints=tuple(sorted(Taint(taint.key, taint.value, taint.effect) for taint in pool.taints)),
        partition=partition(pool, place, known, driver.version, found),
        driver=driver,
        memory_bytes=bytes_of(pool.memory) if pool.memory else 0,
        max_pods=pool.max_pods or distribution.max_pods,
        origin=Origin(place, f"pool {pool.name}"),
    )


def _gpu(word: str, count: int, place: Path, found: list[Diagnostic]) -> Gpu | None:
    card = find_card(word)
    if card.one:
        return Gpu(card.one, count)
    if card.ambiguous:
        names = [match.name for match in card.matches]
        found.append(AMBIGUOUS_CARD.at(place, f"{word} may be {', '.join(names)}", help=f"write one of them, such as `card: {names[0]}`"))
    else:
        found.append(unknown(UNKNOWN_CARD, place, "card", word, card.near, "fourleaf list cards"))
    return None


def _host(pool: PoolSpec, place: Path, distribution: Distribution, version: Version, found: list[Diagnostic]) -> Host | None:
    where = (*place, "os")
    word = pool.os or distribution.host
    if not word:
        fitting = [host.name for host in _hosts(distribution, version)]
        found.append(
            UNKNOWN_HOST.at(
                (*place, "name"),
                f"pool {pool.name} does not say its `os`, and {distribution.name} runs on several",
                help=f"add `os`, such as {_or(fitting[-3:])}; `fourleaf list hosts` lists them",
            )
        )
        return None
    host = find_host(word)
    if host.ambiguous:
        names = [match.name for match in host.matches]
        found.append(UNKNOWN_HOST.at(where, f"{word} has several versions", help=f"write one of {', '.join(names)}"))
        return None
    if host.one is None:
        found.append(unknown(UNKNOWN_HOST, where, "host", word, host.near, "fourleaf list hosts"))
        return None
    if host.one.family not in hosts_of(distribution):
        fitting = [other.name for other in _hosts(distribution, version)]
        runs = [name for name, other in distributions().items() if host.one.family in hosts_of(other)]
        mends = [f"write `os: {fitting[-1]}`"] if fitting else []
        mends += [f"`distribution: {runs[0]}` under kubernetes"] if runs else []
        _mismatch(
            where if pool.os else (*place, "name"),
            f"distribution {distribution.name} does not run on {host.one.name}, it runs on {', '.join(hosts_of(distribution))}",
            " or ".join(mends),
            Label(("spec", "kubernetes", "distribution"), f"distribution {distribution.name}"),
            found,
        )
    elif not _runs(host.one, version):
        first, last = host.one.kubernetes or ("", "")
        fitting = [other.name for other in hosts().values() if other.family == host.one.family and _runs(other, version)]
        _mismatch(
            where,
            f"{host.one.name} runs Kubernetes {first} to {last}, the cluster has {version}",
            f"write {_or(fitting)}" if fitting else f'write a version of Kubernetes from "{first}" to "{last}"',
            Label(("spec", "kubernetes", "version"), f"Kubernetes {version}"),
            found,
        )
    return host.one


def _mismatch(place: Path, message: str, mend: str, other: Label, found: list[Diagnostic]) -> None:
    """Add a finding; further pools with the same host are labels of the first."""
    for index, earlier in enumerate(found):
        if earlier.rule is MISMATCH and earlier.message == message:
            found[index] = replace(earlier, labels=(*earlier.labels, Label(place, "and here")))
            return
    found.append(MISMATCH.at(place, message, help=mend, labels=(other,)))


def _hosts(distribution: Distribution, version: Version) -> list[Host]:
    """Return the hosts with a known version that a distribution runs on: of its first such family, those that run this Kubernetes."""
    families = hosts_of(distribution)
    fitting = [host for host in hosts().values() if host.family in families and _runs(host, version)]
    return [host for host in fitting if host.family == fitting[0].family]


def _runs(host: Host, version: Version) -> bool:
    """Tell whether a host runs a release of Kubernetes; one that is tied to none runs any."""
    if not host.kubernetes:
        return True
    first, last = (Version.parse(limit).release for limit in host.kubernetes)
    return first <= version.release <= last


def _or(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)


def _driver(pool: PoolSpec, place: Path) -> Driver:
    said = "driver" in pool.model_fields_set
    origin = Origin((*place, "driver"), "the spec says so") if said else Origin(place, f"pool {pool.name} leaves its driver to fourleaf")
    if pool.driver == "auto" or pool.driver == "host" or pool.driver == "operator":
        return Driver(owner=pool.driver, origin=origin)
    flavour = "" if pool.driver.kernel_modules == "auto" else pool.driver.kernel_modules
    return Driver(owner="operator", version=pool.driver.version, kernel_modules=flavour, origin=origin)
