"""The files of a set, read back in the order of application."""

from __future__ import annotations

from pathlib import Path

from fourleaf.rehearse.tree import of_folder, read


def _object(kind: str, name: str) -> str:
    return f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}}}\n"


def _order(files: dict[str, str]) -> list[str]:
    return [item.manifest["metadata"]["name"] for item in read(files).objects]


def test_folders_go_by_number_and_files_by_name() -> None:
    files = {"20-config/b.yaml": _object("ConfigMap", "b"), "20-config/a.yaml": _object("ConfigMap", "a")}

    assert _order({**files, "10-namespaces/z.yaml": _object("Namespace", "z")}) == ["z", "a", "b"]


def test_a_kustomization_says_the_order_of_its_folder() -> None:
    files = {"20-config/b.yaml": _object("ConfigMap", "b"), "20-config/a.yaml": _object("ConfigMap", "a")}

    assert _order({**files, "20-config/kustomization.yaml": "resources: [b.yaml, a.yaml]\n"}) == ["b", "a"]


def test_bindings_are_apart_and_values_are_no_objects() -> None:
    files = {"bindings/n/w.yaml": _object("Deployment", "w"), "30-charts/x/values.yaml": "a: 1\n", "README.md": "#"}
    tree = read(files)

    assert tree.objects == ()
    assert [item.path for item in tree.bindings] == ["bindings/n/w.yaml"]
    assert tree.faults == ()


def test_several_documents_of_a_file_are_several_objects() -> None:
    assert _order({"a.yaml": f"{_object('ConfigMap', 'a')}---\n---\n{_object('ConfigMap', 'b')}"}) == ["a", "b"]


def test_what_is_no_manifest_is_a_fault_with_its_reason() -> None:
    files = {"a.yaml": "- 1\n", "b.yaml": "kind: X\n", "c.yaml": "apiVersion: v1\nkind: X\n", "d.yaml": "a: {\n"}
    faults = {fault.path: fault.words for fault in read(files).faults}

    assert faults["a.yaml"] == "a manifest is a mapping"
    assert faults["b.yaml"] == "there is no apiVersion"
    assert faults["c.yaml"] == "there is no metadata.name"
    assert faults["d.yaml"].startswith("line 2: ")


def test_a_folder_gives_its_yaml_files_with_slashes(tmp_path: Path) -> None:
    (tmp_path / "10-a").mkdir()
    (tmp_path / "10-a" / "x.yaml").write_text("a: 1\n")
    (tmp_path / "README.md").write_text("#")

    assert of_folder(tmp_path) == {"10-a/x.yaml": "a: 1\n"}
