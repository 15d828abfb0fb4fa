"""The spec becomes the inventory: every name is looked up, and what contradicts itself is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from fourleaf.diag import Diagnostic, Severity, nearest
from fourleaf.hardware import Distribution
from fourleaf.hardware.catalogue import find_distribution
from fourleaf.kube import Version
from fourleaf.kube.served import gate, gate_locked, gate_on, gates, known_releases
from fourleaf.resolve.computed import computed
from fourleaf.resolve.inventory import Delivery, Inventory, Pin, Policy
from fourleaf.resolve.lookup import suggestion, unknown
from fourleaf.resolve.pools import pools
from fourleaf.resolve.rules import LOCKED_GATE, UNKNOWN_COMPONENT, UNKNOWN_DISTRIBUTION, UNKNOWN_GATE, UNKNOWN_KUBERNETES
from fourleaf.resolve.tenants import tenants
from fourleaf.resolve.workloads import turns, workloads
from fourleaf.spec.rules import UNKNOWN_WORD
from fourleaf.systems import SYSTEMS, words

if TYPE_CHECKING:
    from fourleaf.spec.loaded import Present
    from fourleaf.spec.models import ClusterSpec, Spec

SCHEDULERS_TO_COME = ("kai", "kueue", "runai")
"""Words of the language without a system behind them yet."""


def resolve(spec: Spec, layouts: Mapping[str, Present] | None = None) -> tuple[Inventory | None, tuple[Diagnostic, ...]]:
    """Look up every name of a spec.

    Args:
        layouts: the files with present layouts that it names, as `Loaded.layouts`.

    Returns:
        The inventory, None where something could not be looked up.
    """
    found: list[Diagnostic] = []
    cluster = spec.spec
    version = _version(cluster, found)
    found += _gates(cluster, version)
    distribution = _distribution(cluster, found)
    if distribution is None:
        return None, tuple(found)
    made = pools(cluster, distribution, version, found)
    owners = tenants(cluster, found)
    work = workloads(cluster, owners, made, found) if len(made) == len(cluster.pools) else ()
    groups = turns(cluster, work, made, found)
    made = computed(cluster, made, work, groups, layouts or {}, found)
    pins = _pins(cluster, found)
    _scheduler(cluster, found)
    if any(one.severity == Severity.ERROR and not one.rule.allowable for one in found):
        return None, tuple(found)
    inventory = Inventory(
        name=spec.metadata.name,
        kubernetes=version,
        distribution=distribution,
        feature_gates=dict(sorted(cluster.kubernetes.feature_gates.items())),
        pools=made,
        tenants=owners,
        workloads=work,
        turns=groups,
        policy=Policy(
            leaf=cluster.policy.leaf,
            scheduler=cluster.policy.scheduler,
            allocation=cluster.policy.allocation,
            create_namespaces=cluster.policy.create_namespaces,
        ),
        stack=pins,
        delivery=_delivery(cluster),
    )
    return inventory, tuple(found)


def _version(cluster: ClusterSpec, found: list[Diagnostic]) -> Version:
    version = Version.parse(cluster.kubernetes.version)
    known = known_releases()
    if ".".join(map(str, version.release)) not in known:
        first, last = known[0], known[-1]
        found.append(
            UNKNOWN_KUBERNETES.at(
                ("spec", "kubernetes", "version"),
                f"Kubernetes {version} is not in the tables, which have {first} to {last}",
                help=f'write a version from "{first}" to "{last}"',
            )
        )
    return version


def _gates(cluster: ClusterSpec, version: Version) -> Iterator[Diagnostic]:
    """Yield the feature gates that are misspelt, of other releases, or locked. One that is like none of the table's may well be there."""
    for name, wanted in cluster.kubernetes.feature_gates.items():
        place = ("spec", "kubernetes", "featureGates", name)
        default = gate_on(name, version)
        if default is not None:
            if default != wanted and gate_locked(name, version):
                said = f"in Kubernetes {version} feature gate {name} cannot be {'on' if wanted else 'off'}"
                note = "components of Kubernetes do not start: the feature is locked"
                yield LOCKED_GATE.at(place, said, help="take it out", note=note)
            continue
        if known := gate(name):
            span = [f"from {known.alpha[0]}.{known.alpha[1]} on", *([f"before {known.gone[0]}.{known.gone[1]}"] if known.gone else ())]
            mend = f"take it out: it is there {', '.join(span)}"
        elif meant := _gate_meant(name):
            mend = suggestion([meant])
        else:
            continue
        note = "components of Kubernetes do not start with a gate that they do not know"
        yield UNKNOWN_GATE.at(place, f"Kubernetes {version} has no feature gate {name}", help=mend, note=note, on_key=True)


def _gate_meant(name: str) -> str:
    """Return the gate that was meant, where its case or a letter or two are wrong: gates that exist are less alike than that."""
    from difflib import get_close_matches

    folded = {known.lower(): known for known in gates()}
    return next((folded[near] for near in get_close_matches(name.lower(), folded, n=1, cutoff=0.9)), "")


def _distribution(cluster: ClusterSpec, found: list[Diagnostic]) -> Distribution | None:
    word = cluster.kubernetes.distribution
    distribution = find_distribution(word)
    if distribution.one is None:
        place = ("spec", "kubernetes", "distribution")
        found.append(unknown(UNKNOWN_DISTRIBUTION, place, "distribution", word, distribution.near, "fourleaf list distributions"))
    return distribution.one


def _scheduler(cluster: ClusterSpec, found: list[Diagnostic]) -> None:
    """Say of a word that no scheduler has what is there; of one that is to come, decide says so."""
    word = cluster.policy.scheduler
    known = ("auto", *dict.fromkeys((*words("scheduler"), *SCHEDULERS_TO_COME)))
    if word not in known:
        found.append(
            UNKNOWN_WORD.at(("spec", "policy", "scheduler"), f"no scheduler is called {word}", help=suggestion(nearest(word, known), known))
        )


def _pins(cluster: ClusterSpec, found: list[Diagnostic]) -> tuple[Pin, ...]:
    pins: list[Pin] = []
    known = [name for name, system in SYSTEMS.items() if system.record.version]
    for name, pin in sorted(cluster.stack.items()):
        place = ("spec", "stack", name)
        if name not in known:
            found.append(
                UNKNOWN_COMPONENT.at(place, f"no component is called {name}", help=suggestion(nearest(name, known), known), on_key=True)
            )
        pins.append(Pin(component=name, version=pin.version, values=pin.values, place=place))
    return tuple(pins)


def _delivery(cluster: ClusterSpec) -> Delivery:
    delivery = cluster.delivery
    where = delivery.flux if delivery.target == "flux" else delivery.argocd
    return Delivery(
        target=delivery.target, repo_url=where.repo_url, revision=where.revision, path=where.path, project=delivery.argocd.project
    )
