"""Each folder can be applied by itself, after those before it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourleaf.emit import folders
from fourleaf.emit.order import Folder
from fourleaf.ir import Bundle, Chart, Object, Origin, Provided, Ref

THING = "Thing.example.org"


def names(ordered: tuple[Folder, ...]) -> dict[str, list[str]]:
    return {folder.name: [name for name, _ in folder.objects] + [name for name, _, _ in folder.charts] for folder in ordered}


def test_the_campus_stands_in_the_order_of_application(bundle: Bundle) -> None:
    assert names(folders(bundle)) == {
        "10-namespaces": ["namespace-gpu-operator", "namespace-vision"],
        "20-config": ["configmap-mig-1a2b3c4d", "daemonset-markers"],
        "30-charts": ["batch", "node-feature-discovery", "gpu-operator"],
        "40-resources": ["nodefeaturerule-pools", "queue-science"],
        "50-resources": ["queue-vision"],
    }


def test_what_a_namespace_refers_to_does_not_hold_it_back(bundle: Bundle) -> None:
    """Its queue, by an annotation, is looked up when pods come."""
    queued = [edge for edge in bundle.edges if edge[0].kind == "Namespace"]

    assert queued
    assert names(folders(bundle))["10-namespaces"] == ["namespace-gpu-operator", "namespace-vision"]


def test_an_object_that_needs_a_class_of_a_chart_comes_after_it(
    made: Callable[..., Object], chart: Callable[..., Chart], bundle_of: Any
) -> None:
    pod, operator = made("Pod", "check", "a"), chart("operator", provides=(Provided(ref=Ref("RuntimeClass", "nvidia")),))

    ordered = folders(bundle_of(objects=(pod,), charts=(operator,), edges=((pod.ref, Ref("RuntimeClass", "nvidia")),)))

    assert names(ordered) == {"30-charts": ["operator"], "40-resources": ["pod-check"]}
    assert [folder.after_charts for folder in ordered] == [False, True]


def test_a_chart_that_needs_an_object_of_another_chart_gets_a_folder_after_it(
    made: Callable[..., Object], chart: Callable[..., Chart], bundle_of: Any
) -> None:
    first, second = chart("first", provides=(Provided(ref=Ref("Definition", THING)),)), chart("second")
    thing = made("Thing", "a", api_version="example.org/v1")
    edges = ((thing.ref, Ref("Definition", THING)), (second.ref, thing.ref), (second.ref, first.ref))

    ordered = folders(bundle_of(objects=(thing,), charts=(second, first), edges=edges))

    assert names(ordered) == {"30-charts": ["first"], "40-resources": ["thing-a"], "50-charts": ["second"]}


def test_a_child_comes_after_its_parent_also_where_a_prerequisite_brings_their_definition(
    made: Callable[..., Object], bundle_of: Any
) -> None:
    parent, child = (made("Thing", name, api_version="example.org/v1") for name in ("z", "a"))
    edges = ((parent.ref, Ref("Definition", THING)), (child.ref, Ref("Definition", THING)), (child.ref, parent.ref))

    assert names(folders(bundle_of(objects=(child, parent), edges=edges))) == {"20-config": ["thing-z"], "40-resources": ["thing-a"]}


def test_a_circle_is_named(made: Callable[..., Object], bundle_of: Any) -> None:
    parts = [made("ConfigMap", name, "x") for name in "abc"]
    edges = tuple((one.ref, other.ref) for one, other in pairwise([*parts, parts[1]]))

    with pytest.raises(AssertionError, match="in a circle: ConfigMap x/b -> ConfigMap x/c -> ConfigMap x/b"):
        folders(bundle_of(objects=tuple(parts), edges=edges))


def test_a_part_that_refers_to_itself_is_no_circle(chart: Callable[..., Chart], bundle_of: Any) -> None:
    operator = chart("operator", provides=(Provided(ref=Ref("RuntimeClass", "nvidia")),))

    assert names(folders(bundle_of(charts=(operator,), edges=((operator.ref, Ref("RuntimeClass", "nvidia")),)))) == {
        "30-charts": ["operator"]
    }


def test_two_parts_that_are_one_object_are_refused(made: Callable[..., Object], bundle_of: Any) -> None:
    with pytest.raises(AssertionError, match="one object"):
        folders(bundle_of(objects=(made("Namespace", "a"), made("Namespace", "a"))))


def test_files_get_their_namespace_where_two_would_be_one(made: Callable[..., Object], bundle_of: Any) -> None:
    quotas = tuple(made("ResourceQuota", "gpu", space) for space in ("b", "a"))

    ordered = folders(bundle_of(objects=(*quotas, made("ConfigMap", "gpu", "a"))))

    assert names(ordered) == {"20-config": ["configmap-gpu", "resourcequota-a-gpu", "resourcequota-b-gpu"]}


def test_files_that_are_one_even_so_get_a_digest(made: Callable[..., Object], bundle_of: Any) -> None:
    same = (made("Queue", "a", api_version="one.example.org/v1"), made("Queue", "a", api_version="two.example.org/v1"))
    split = (made("ConfigMap", "c-d", "b"), made("ConfigMap", "d", "b-c"), made("ConfigMap", "d", "e"), made("ConfigMap", "c-d", "x"))
    longest = (made("ConfigMap", "n" * 253, "a"), made("ConfigMap", "n" * 252 + "m", "a"))

    held = names(folders(bundle_of(objects=(*same, *split, *longest))))["20-config"]

    assert len(held) == len(set(held)) == 8
    assert all(len(name) < 230 for name in held)


@pytest.mark.parametrize("name", ["system:node", "../../etc/passwd", "a/b", "A B", "..", "$(id)", "-rf", "é"])
def test_names_of_files_hold_safe_characters_only(made: Callable[..., Object], bundle_of: Any, name: str) -> None:
    ((file, _),) = folders(bundle_of(objects=(made("ClusterRole", name),)))[0].objects

    assert file.startswith("clusterrole")
    assert set(file) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-")


def test_many_levels_keep_their_order_as_names(made: Callable[..., Object], chart: Callable[..., Chart], bundle_of: Any) -> None:
    """As a shell lists them."""
    operator = chart("operator", provides=(Provided(ref=Ref("Definition", THING)),))
    things = [made("Thing", f"t{number}", api_version="example.org/v1") for number in range(20)]
    edges = [(thing.ref, Ref("Definition", THING)) for thing in things] + [(child.ref, parent.ref) for parent, child in pairwise(things)]

    ordered = [folder.name for folder in folders(bundle_of(objects=tuple(things), charts=(operator,), edges=tuple(edges)))]

    assert ordered == sorted(ordered)
    assert ordered[:2] == ["030-charts", "040-resources"]
    assert ordered[-1] == "230-resources"


def test_the_order_of_parts_in_the_bundle_changes_nothing(bundle: Bundle, bundle_of: Any) -> None:
    turned = bundle_of(objects=bundle.objects[::-1], charts=bundle.charts[::-1], edges=bundle.edges[::-1])

    assert folders(turned) == folders(bundle)


@given(st.data(), st.integers(1, 25))
@settings(max_examples=200, deadline=None)
def test_what_a_part_needs_is_applied_before_it(data: st.DataObject, count: int) -> None:
    """In an earlier folder; or in the same one, where nothing looks at it on arrival: charts go one by one, built-in kinds wait."""
    origin, parts = Origin(()), []
    for number in range(count):
        kind = data.draw(st.sampled_from(["ConfigMap", "Thing", "Chart", "Namespace"]))
        if kind == "Chart":
            parts.append(Chart(name="c", release=f"r{number}", repository="r", version="1", namespace="a", values={}, origin=origin))
        else:
            parts.append(Object(api_version="example.org/v1" if kind == "Thing" else "v1", kind=kind, name=f"n{number}", origin=origin))
    edges = [(part.ref, Ref("Definition", THING)) for part in parts if isinstance(part, Object) and part.kind == "Thing"]
    for number, part in enumerate(parts[1:], 1):
        edges += [(part.ref, parts[to].ref) for to in data.draw(st.lists(st.integers(0, number - 1), max_size=3))]
    made = Bundle(
        objects=tuple(part for part in parts if isinstance(part, Object)),
        charts=tuple(part for part in parts if isinstance(part, Chart)),
        asks=(),
        bindings=(),
        prerequisites=(),
        edges=tuple(edges),
    )

    ordered = folders(made)
    place: dict[Ref, tuple[int, int]] = {}
    for number, folder in enumerate(ordered):
        held = [one for _, one in folder.objects] or [one for _, _, one in folder.charts]
        place |= {one.ref: (number, at) for at, one in enumerate(held)}

    assert place.keys() == {part.ref for part in parts}
    for who, to in edges:
        if to.kind == "Definition" or who.kind == "Namespace":
            continue
        assert place[to] < place[who]
        if place[to][0] == place[who][0]:
            folder = ordered[place[who][0]]
            assert folder.charts or (folder.name.endswith("-config") and not who.kind == to.kind == THING)


def test_the_time_grows_as_the_bundle_does(made: Callable[..., Object], bundle_of: Any) -> None:
    """A chain is the worst case for anything that walks it again for each part."""

    def best(count: int) -> float:
        chain = [made("ConfigMap", f"c{number}", "a") for number in range(count)]
        bundle = bundle_of(objects=tuple(chain), edges=tuple((one.ref, other.ref) for one, other in pairwise(chain)))
        times = []
        for _ in range(3):
            start = perf_counter()
            folders(bundle)
            times.append(perf_counter() - start)
        return min(times)

    assert best(8000) < 40 * best(800)
