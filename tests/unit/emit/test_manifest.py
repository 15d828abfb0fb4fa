"""Objects as manifests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fourleaf.emit import manifest
from fourleaf.ir import Document, Object, Ref


def test_fields_stand_in_the_order_in_which_people_write_them(made: Callable[..., Object]) -> None:
    one = made("ConfigMap", "a", "b", labels={"l": "1"}, annotations={"n": "2"}, body={"data": {"z": "1"}, "immutable": True})

    assert list(manifest(one)) == ["apiVersion", "kind", "metadata", "data", "immutable"]
    assert list(manifest(one)["metadata"]) == ["name", "namespace", "labels", "annotations"]


def test_what_is_empty_is_left_out(made: Callable[..., Object]) -> None:
    assert manifest(made("Namespace", "a")) == {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}


def test_further_metadata_of_the_body_stands_beside_the_name(made: Callable[..., Object]) -> None:
    one = made("Namespace", "a", body={"metadata": {"name": "other", "finalizers": ["x"]}})

    assert manifest(one)["metadata"] == {"name": "a", "finalizers": ["x"]}


def test_documents_are_printed_and_containers_are_plain(made: Callable[..., Object]) -> None:
    body = manifest(made("ConfigMap", "a", body={"data": {"file": Document({"list": ("y",)})}, "list": ({"a": None},)}))

    assert body["data"] == {"file": 'list:\n- "y"\n'}
    assert body["list"] == [{"a": None}]


def test_a_reference_without_its_final_name_is_refused(made: Callable[..., Object]) -> None:
    with pytest.raises(TypeError, match="no part of a manifest"):
        manifest(made("ConfigMap", "a", body={"data": {"x": Ref("Queue", "y")}}))
