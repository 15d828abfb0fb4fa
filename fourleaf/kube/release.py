"""What one release of Kubernetes is made of: its groups, and the schemas of the kinds that fourleaf emits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from fourleaf.data import schema, schemas
from fourleaf.kube.versions import Version

Scope: TypeAlias = Literal["Cluster", "Namespaced"]


class Release(Struct, frozen=True):
    """The content of `schemas/kube/<minor>.json`."""

    groups: frozenset[str]
    """Groups that the API server brings itself; "" is the core group. Any other comes with a definition."""
    kinds: Mapping[tuple[str, str], Mapping[str, Any]]
    """(apiVersion, kind) to {"scope", "schema"}."""
    definitions: Mapping[str, Any]
    """What the schemas refer to as #/$defs/..."""

    def versions(self, group: str, kind: str) -> tuple[str, ...]:
        """Return the apiVersions of a kind, of those that fourleaf emits."""
        return tuple(version for version, name in self.kinds if name == kind and version.rpartition("/")[0] == group)

    @property
    def scopes(self) -> Mapping[str, Scope]:
        """Return whether objects of a kind stand in a namespace, by kind: no two groups share one."""
        return {kind: found["scope"] for (_, kind), found in self.kinds.items()}

    def reached(self, schemas: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the definitions that some schemas refer to, and those that these refer to."""
        found: dict[str, Any] = {}
        stack: list[Any] = list(schemas)
        while stack:
            item = stack.pop()
            if isinstance(item, dict):
                target = item.get("$ref")
                if isinstance(target, str):  # a property may be named $ref too
                    name = target.rpartition("/")[2]
                    if name not in found:
                        found[name] = self.definitions[name]
                        stack.append(found[name])
                else:
                    stack.extend(item.values())
            elif isinstance(item, list):
                stack.extend(item)
        return found


@cache
def release(version: Version) -> Release:
    """Return the release of a version; of one outside those that are known, the nearest that is."""
    data = _data(version.release)
    if data is None:
        first, *_, last = known()
        data = _data(min(max(version.release, first), last))
    kinds = {(name.partition(" ")[0], name.partition(" ")[2]): kind for name, kind in data["kinds"].items()}
    return Release(groups=frozenset(data["groups"]), kinds=kinds, definitions=data["$defs"])


def known() -> tuple[tuple[int, int], ...]:
    """Return the releases whose schemas are known, oldest first: at least two."""
    names = (name.removeprefix("kube/").removesuffix(".json") for name in schemas("kube/*.json"))
    return tuple(sorted(Version.parse(name).release for name in names))


def _data(wanted: tuple[int, int]) -> Any:
    return schema(f"kube/{wanted[0]}.{wanted[1]}.json")
