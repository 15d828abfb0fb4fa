"""Which pools the pods of an object go to, as far as its own selection tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from fourleaf.ir import Object, Value
from fourleaf.verify.view import View, below, listed, pods, text


class _Told(Struct, frozen=True):
    """What a selection says of the pools, by name: those that it surely selects, and those of which nothing tells."""

    yes: frozenset[str]
    open: frozenset[str]

    def __and__(self, other: _Told) -> _Told:
        yes = self.yes & other.yes
        return _Told(yes, ((self.yes | self.open) & (other.yes | other.open)) - yes)

    def __or__(self, other: _Told) -> _Told:
        yes = self.yes | other.yes
        return _Told(yes, (self.open | other.open) - yes)


class Selections:
    """The pools by what a pod can select their nodes by: names, labels that they carry, labels that systems ask for."""

    def __init__(self, view: View) -> None:
        self._all = frozenset(pool.name for pool in view.plan.pools)
        self._nothing = _Told(frozenset(), self._all)
        self._own = {component.system: frozenset(component.pools) for component in view.plan.components}
        self._by_node = {node: pool.name for pool in view.plan.pools for node in pool.nodes}
        self._unnamed = frozenset(pool.name for pool in view.plan.pools if not pool.nodes)
        self._by_label: dict[str, dict[str, set[str]]] = {}
        for name, key, value in _labels(view):
            self._by_label.setdefault(key, {}).setdefault(value, set()).add(name)

    def pools_of(self, made: Object) -> frozenset[str]:
        """Return the names of the pools that an object's pods are sent to.

        Those that its node selection names. Of a DaemonSet also those of its component where the selection leaves it open,
        since it goes to every node that it may. Other pods without a selection may go to nodes of no pool: they name none.
        """
        spec = below(pods(made), "spec")
        selector = below(spec, "nodeSelector")
        terms = listed(below(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"))
        told = [self._in(key, [value]) for key, value in (selector.items() if isinstance(selector, Mapping) else ())]
        told += [self._any(terms)] if terms else []
        found = self._every(told)
        return found.yes | (found.open & self._own.get(made.by, frozenset())) if made.kind == "DaemonSet" else found.yes

    def _every(self, told: Sequence[_Told]) -> _Told:
        found = told[0] if told else self._nothing
        for one in told[1:]:
            found &= one
        return found

    def _any(self, terms: Sequence[Value]) -> _Told:
        """Read the terms of an affinity. Those that name nodes are many, one a node, and are read as one."""
        names: set[str] = set()
        found = _Told(frozenset(), frozenset())
        for term in terms:
            fields, expressions = listed(below(term, "matchFields")), listed(below(term, "matchExpressions"))
            if expressions or len(fields) != 1 or below(fields[0], "operator") != "In":
                found |= self._every([*map(self._requirement, expressions), *([self._nothing] if fields else [])])
            else:
                names.update(map(text, listed(below(fields[0], "values"))))
        if names:
            found |= _Told(frozenset(self._by_node[name] for name in names if name in self._by_node), self._unnamed)
        return found

    def _requirement(self, one: Value) -> _Told:
        match below(one, "operator"):
            case "In":
                return self._in(text(below(one, "key")), listed(below(one, "values")))
            case "Exists":
                carriers = self._by_label.get(text(below(one, "key")), {}).values()
                yes = frozenset().union(*carriers)
                return _Told(yes, self._all - yes)
        return self._nothing  # the others keep pods away from nodes, they send them nowhere

    def _in(self, key: str, values: Iterable[Value]) -> _Told:
        carriers = self._by_label.get(key, {})
        yes: frozenset[str] = frozenset().union(*(carriers.get(text(value), ()) for value in values))
        return _Told(yes, self._all - frozenset().union(*carriers.values()))


def _labels(view: View) -> Iterator[tuple[str, str, str]]:
    """Yield pool, key and value of each label that nodes are known to carry."""
    for pool in view.plan.pools:
        for key, value in pool.labels.items():
            yield pool.name, key, value
    for ask in view.bundle.asks:
        if ask.topic == "node-label" and isinstance(ask.value, Mapping):
            for name in [ask.pool] if ask.pool else [pool.name for pool in view.plan.pools]:
                for key, wanted in ask.value.items():
                    yield name, key, str(wanted)
