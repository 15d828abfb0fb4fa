"""Tenants become queues."""

from __future__ import annotations

from fourleaf.ir import Origin, Resource
from fourleaf.plan.tenancy import queues
from fourleaf.resolve.inventory import Tenant

GPU = Resource("example.com/gpu", "device-plugin")


def _tenant(name: str, parent: str = "", **quota: int) -> Tenant:
    return Tenant(name=name, parent=parent, origin=Origin(("spec", "tenants", 0)), **quota)


def test_a_parent_is_promised_what_its_children_are_together() -> None:
    """Schedulers take a dimension that a parent leaves out for zero."""
    top, *_ = queues([_tenant("f"), _tenant("a", "f", guaranteed=2), _tenant("b", "f", guaranteed=1, deserved=4)], GPU)

    assert top.guaranteed == {GPU: 3}
    assert top.deserved == {GPU: 6}
    assert top.limit == {}


def test_what_a_parent_says_itself_is_kept_where_it_is_more() -> None:
    top, _ = queues([_tenant("f", guaranteed=8), _tenant("a", "f", guaranteed=2)], GPU)

    assert top.guaranteed == {GPU: 8}


def test_a_queue_deserves_at_least_its_guarantee() -> None:
    (queue,) = queues([_tenant("a", guaranteed=3)], GPU)

    assert queue.deserved == {GPU: 3}


def test_a_tenant_without_quota_has_no_amounts() -> None:
    (queue,) = queues([_tenant("a")], GPU)

    assert (queue.guaranteed, queue.deserved, queue.limit) == ({}, {}, {})
