"""Arguments are the spec language in snake_case: the same fields, and places that lead back."""

from __future__ import annotations

import inspect
from typing import Any, get_args, is_typeddict

import pytest
from fourleaf_components import args, language
from fourleaf_components.fragment import NotPlainError, Writer, camel, fields_of, snake

from fourleaf.spec import models, pools

MODELS = {
    "Kubernetes": models.Kubernetes, "Gpu": pools.PoolGpu, "Taint": pools.Taint, "Driver": pools.Driver, "CutCards": pools.MigLayouts,
    "MigAuto": pools.MigAuto, "Mig": pools.Mig, "Sharing": pools.Sharing, "Partition": pools.Partition, "Pool": pools.Pool,
    "Cards": models.Cards, "Quota": models.Quota, "Tenant": models.Tenant, "GpuAsk": models.GpuAsk, "Gang": models.Gang,
    "ContainerMemory": models.ContainerMemory, "Workload": models.Workload, "Exclusive": models.Exclusive, "Allow": models.Allow,
    "Policy": models.Policy, "Pin": models.Pin,
}  # fmt: skip
ELSEWHERE = {("Driver", "owner"): "added: the language's word", ("MigAuto", "present"): "a file", ("Workload", "manifests"): "files"}


@pytest.mark.parametrize("name", MODELS)
def test_a_type_has_the_fields_of_the_language(name: str) -> None:
    declared = getattr(language, name)
    known = {field.alias or key for key, field in MODELS[name].model_fields.items()}
    ours = {camel(key) for key in fields_of(declared)}

    assert {key for key in known ^ ours if (name, key) not in ELSEWHERE} == set()


def test_every_type_that_is_written_is_one_of_the_language() -> None:
    found: set[str] = set()

    def walk(declared: Any) -> None:
        for part in get_args(declared):
            walk(part)
        if is_typeddict(declared) and declared.__name__ not in found:
            found.add(declared.__name__)
            for kind in fields_of(declared).values():
                walk(kind)

    walk(args.ClusterArgs)

    assert found - {"ClusterArgs"} == set(MODELS)


def test_every_field_has_a_description() -> None:
    source = (inspect.getsource(language) + inspect.getsource(args)).splitlines()
    fields = [number for number, line in enumerate(source) if line.startswith("    ") and ": " in line and '"""' not in line]

    assert len(fields) > 80
    assert [source[number] for number in fields if '"""' not in source[number + 1]] == []


def written(declared: Any, value: Any) -> Any:
    writer = Writer()
    writer.put(("it",), value, declared, "it")
    return writer.body.get("it")


def test_fields_become_camel_case_and_the_users_words_stay() -> None:
    pool = {"labels": {"a_b": "c_d"}, "partition": {"time_slicing": {"replicas": 2}}, "driver": {"kernel_modules": "open"}}

    assert written(language.Pool, pool) == {
        "labels": {"a_b": "c_d"},
        "partition": {"timeSlicing": {"replicas": 2}},
        "driver": {"kernelModules": "open"},
    }


@pytest.mark.parametrize(
    ("declared", "value", "wanted"),
    [
        (language.Driver, {"owner": "host"}, "host"),
        (language.CutCards, {"gpus": [0.0]}, {"gpus": [0], "layout": "none"}),
        (language.Gpu, {"card": "t4", "count": 2.0}, {"card": "t4", "count": 2}),
        (language.GpuAsk, {"fraction": 0.5}, {"fraction": 0.5}),
        (language.Gpu, {"card": "t4", "count": None}, {"card": "t4"}),
        (language.Pool, None, None),
        (language.MigAuto, {}, {}),
    ],
)
def test_values_are_as_the_language_writes_them(declared: Any, value: Any, wanted: Any) -> None:
    assert written(declared, value) == wanted


def test_a_place_of_the_spec_is_a_property_path() -> None:
    writer = Writer()
    writer.put(("pools",), [{"driver": {"kernel_modules": "opn"}, "labels": {"aB": "c"}}], list[language.Pool], "pools")
    writer.put(("stack", "gpu-operator", "values"), {"migManager": {}}, dict[str, Any], "values")
    shown = writer.fragment("x").shown

    assert shown("gpu", ("spec", "pools", 0, "driver", "kernelModules")) == "gpu.pools[0].driver.kernel_modules"
    assert shown("gpu", ("spec", "pools", 0, "labels", "aB")) == "gpu.pools[0].labels.aB"
    assert shown("gpu", ("spec", "pools", 0, "partition", "timeSlicing")) == "gpu.pools[0].partition.time_slicing"
    assert shown("gpu", ("spec", "stack", "gpu-operator", "values", "migManager")) == "gpu.values.migManager"
    assert shown("gpu", ("spec", "policy", "leaf")) == "gpu"


def test_what_is_not_plain_is_told_by_its_path() -> None:
    with pytest.raises(NotPlainError, match=r"it\[1\]"):
        written(list[str], ["a", object()])


@pytest.mark.parametrize("name", ["feature_gates", "a", "mig"])
def test_names_come_back(name: str) -> None:
    assert snake(camel(name)) == name
    assert camel(camel(name)) == camel(name)
