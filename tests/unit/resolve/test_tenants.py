"""Whose a namespace and a workload are."""

from __future__ import annotations

from specs import codes, compiled, pool, spec, work

POOL = pool("a", "rtx-4090", 8)
QUOTA = {"limit": {"gpu": 4}}


def test_a_leaf_tenant_gets_a_namespace_of_its_own_name() -> None:
    made = compiled(spec(POOL, tenants=[{"name": "f"}, {"name": "a", "parent": "f", "quota": QUOTA}]))

    assert made.inventory
    assert {tenant.name: tenant.namespaces for tenant in made.inventory.tenants} == {"f": (), "a": ("a",)}


def test_a_workload_inherits_the_tenant_of_its_namespace() -> None:
    tree = spec(POOL, tenants=[{"name": "a", "namespaces": ["x"], "quota": QUOTA}], workloads=[{**work("w"), "namespace": "x"}])
    made = compiled(tree)

    assert made.inventory
    assert made.inventory.workloads[0].tenant == "a"


def test_a_workload_gets_the_only_namespace_of_its_tenant() -> None:
    tree = spec(POOL, tenants=[{"name": "a", "quota": QUOTA}], workloads=[{"name": "w", "tenant": "a", "gpu": {"vendor": "nvidia"}}])
    made = compiled(tree)

    assert made.inventory
    assert made.inventory.workloads[0].namespace == "a"


def test_parents_come_first_whatever_their_names() -> None:
    tree = spec(POOL, tenants=[{"name": "a", "parent": "m"}, {"name": "m", "parent": "z"}, {"name": "z"}])
    made = compiled(tree)

    assert made.inventory
    assert [tenant.name for tenant in made.inventory.tenants] == ["z", "m", "a"]


def test_a_circle_is_said_once() -> None:
    tree = spec(POOL, tenants=[{"name": "a", "parent": "b"}, {"name": "b", "parent": "c"}, {"name": "c", "parent": "a"}])

    assert codes(compiled(tree)) == ["FL520"]


def test_a_long_chain_of_tenants_is_no_burden() -> None:
    chain = [{"name": f"t{index}", "parent": f"t{index + 1}"} for index in range(400)] + [{"name": "t400"}]

    made = compiled(spec(POOL, tenants=list(chain)))

    assert made.inventory
    assert made.inventory.tenants[0].name == "t400"
