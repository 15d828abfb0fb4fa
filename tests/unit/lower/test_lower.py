"""What lowering makes of references, asks and raw values."""

from __future__ import annotations

import pytest
from specs import codes, compiled, pool, spec, work

from fourleaf.ir import Document, Object, Origin, Ref
from fourleaf.lower.link import link
from fourleaf.lower.names import Names

HERE = Origin(("spec",))


def _config(name: str, **data: object) -> Object:
    return Object(api_version="v1", kind="ConfigMap", name=name, namespace="n", body={"data": data}, hashed=True, origin=HERE)


def test_a_hash_follows_what_it_refers_to() -> None:
    """A changed inner object gives the outer one another name too."""
    inner = _config("inner", key="one")
    outer = _config("outer", key=Document({"uses": inner.ref}))
    changed = _config("inner", key="two")

    before, after = Names([inner, outer]).of(outer.ref), Names([changed, outer]).of(outer.ref)

    assert before.name.startswith("outer-")
    assert before != after


def test_a_circle_of_hashes_is_a_defect() -> None:
    one = _config("one", key=Ref("ConfigMap", "two", "n"))
    two = _config("two", key=Ref("ConfigMap", "one", "n"))

    with pytest.raises(AssertionError, match="refer to each other"):
        link([one, two], [], [], [])


def test_edges_carry_final_names() -> None:
    inner = _config("inner", key="one")
    outer = Object(api_version="v1", kind="ConfigMap", name="outer", namespace="n", body={"data": {"key": inner.ref}}, origin=HERE)

    bundle = link([inner, outer], [], [], [])

    final = next(made.ref for made in bundle.objects if made.name.startswith("inner-"))
    assert (outer.ref, final) in bundle.edges


CUT = pool("a", "h100-80gb", 2, partition={"mig": {"profile": "1g.10gb"}})


def test_a_changed_layout_changes_the_value_that_names_it() -> None:
    def named(profile: str) -> tuple[str, object]:
        made = compiled(spec(pool("a", "h100-80gb", 2, partition={"mig": {"profile": profile}})))
        assert made.bundle
        chart = next(chart for chart in made.bundle.charts if chart.release == "gpu-operator")
        config = next(found.name for found in made.bundle.objects if found.kind == "ConfigMap")
        return config, chart.values["migManager"]["config"]["name"]  # type: ignore[index, call-overload]

    one, two = named("1g.10gb"), named("3g.40gb")

    assert one[0] == one[1] != two[0] == two[1]


def test_raw_values_are_merged_last() -> None:
    made = compiled(spec(CUT, stack={"gpu-operator": {"values": {"dcgmExporter": {"enabled": False}}}}))

    assert made.bundle
    chart = next(chart for chart in made.bundle.charts if chart.release == "gpu-operator")
    assert chart.values["dcgmExporter"] == {"enabled": False}
    assert chart.values["mig"] == {"strategy": "mixed"}


@pytest.mark.parametrize(
    ("code", "stack"),
    [
        ("FL810", {"gpu-operator": {"values": {"mig": {"strategy": "single"}}}}),
        ("FL811", {"gpu-operator": {"values": {"dcgmExportr": {"enabled": False}}}}),
        ("FL107", {"gpu-operatr": {"version": "v26.7.0"}}),
    ],
)
def test_raw_values_are_checked(code: str, stack: dict[str, object]) -> None:
    assert codes(compiled(spec(CUT, stack=stack))) == [code]


def test_a_workload_is_held_to_its_pool_only_where_its_requests_do_not_tell() -> None:
    one = compiled(spec(pool("a", "rtx-4090", 2), workloads=[work("w", {"card": "rtx-4090"})]))
    two = compiled(spec(pool("a", "rtx-4090", 2), pool("b", "l4", 2), workloads=[work("w", {"card": "rtx-4090"})]))

    assert one.bundle
    assert two.bundle
    assert one.bundle.bindings[0].node_selector == {}
    assert two.bundle.bindings[0].node_selector == {"fourleaf.dev/pool": "a"}


def test_a_daemon_set_is_held_to_its_pools_whatever_it_asks_for() -> None:
    made = compiled(spec(pool("a", "rtx-4090", 2), workloads=[{**work("w", {"card": "rtx-4090"}), "kind": "DaemonSet"}]))

    assert made.bundle
    assert made.bundle.bindings[0].node_selector == {"fourleaf.dev/pool": "a"}


def test_a_namespace_of_others_is_a_prerequisite_unless_policy_says_otherwise() -> None:
    tree = spec(pool("a", "rtx-4090"), workloads=[work("w")])
    others = compiled(tree)
    ours = compiled({**tree, "spec": {**tree["spec"], "policy": {"createNamespaces": True}}})

    assert others.bundle
    assert ours.bundle
    assert any(todo.brings == Ref("Namespace", "apps") for todo in others.bundle.prerequisites)
    assert any(made.ref == Ref("Namespace", "apps") for made in ours.bundle.objects)
