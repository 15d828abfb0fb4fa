"""Pools: words for cards and hosts become records of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fourleaf.diag import Diagnostic, Label, Path
from fourleaf.hardware import Distribution, Host
from fourleaf.hardware.catalogue import find_card, find_host, hosts_of
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
        families = ", ".join(hosts_of(distribution)[:6])
        found.append(
            UNKNOWN_HOST.at(
                place,
                f"pool {pool.name} does not say its `os`, and {distribution.name} runs on several",
                help=f"add `os: ...` ({families}, ...)",
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
        found.append(
            MISMATCH.at(
                where,
                f"pool {pool.name} runs {host.one.name}, distribution {distribution.name} runs on {', '.join(hosts_of(distribution))}",
                help="correct `os` here, or `kubernetes.distribution`",
                labels=(Label(("spec", "kubernetes", "distribution"), f"distribution {distribution.name}"),),
            )
        )
    elif host.one.kubernetes and not _within(version, host.one.kubernetes):
        first, last = host.one.kubernetes
        found.append(
            MISMATCH.at(
                where,
                f"{host.one.name} runs Kubernetes {first} to {last}, the cluster has {version}",
                help=f"write a newer or older {host.one.family}, or the version that the cluster has",
                labels=(Label(("spec", "kubernetes", "version"), f"Kubernetes {version}"),),
            )
        )
    return host.one


def _within(version: Version, limits: tuple[str, str]) -> bool:
    first, last = (Version.parse(limit).release for limit in limits)
    return first <= version.release <= last


def _driver(pool: PoolSpec, place: Path) -> Driver:
    origin = Origin((*place, "driver"), "the spec says so")
    if pool.driver == "auto" or pool.driver == "host" or pool.driver == "operator":
        return Driver(owner=pool.driver, origin=origin)
    flavour = "" if pool.driver.kernel_modules == "auto" else pool.driver.kernel_modules
    return Driver(owner="operator", version=pool.driver.version, kernel_modules=flavour, origin=origin)
