from __future__ import annotations

from pathlib import Path

import pytest

from fourleaf import data


def test_a_checkout_has_its_folders_beside_the_package() -> None:
    assert data.folder("schemas").samefile(Path(__file__).parents[2] / "schemas")


def test_a_wheel_has_them_in_the_package_and_nothing_beside_it_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fourleaf" / "_schemas" / "crds").mkdir(parents=True)
    (tmp_path / "schemas").mkdir()
    (tmp_path / "fourleaf" / "_schemas" / "crds" / "x.json").write_text('{"a": 1}')
    monkeypatch.setattr(data, "ROOT", tmp_path / "fourleaf")

    assert data.schema("crds/x.json") == {"a": 1}
    assert data.schemas("crds/*.json") == ("crds/x.json",)


def test_a_file_that_is_not_there_is_none() -> None:
    assert data.schema("kube/0.1.json") is None
    assert data.load("nothing.yaml") is None
