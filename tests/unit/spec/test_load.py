"""A spec becomes typed, or each mistake in it one diagnostic with the author's own words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fourleaf.diag import Diagnostic, Severity, Span, show_path
from fourleaf.spec import RULES, Loaded
from fourleaf.spec import load as load_with

FULL = (Path(__file__).parent / "full.yaml").read_text()
SMALL = """\
apiVersion: fourleaf.dev/v1
kind: Cluster
metadata: {name: small}
spec:
  kubernetes: {version: "1.35"}
  pools:
    - {name: gpu, nodes: [gpu-1]}
"""


LAYOUTS = b"{apiVersion: fourleaf.dev/v1, kind: Layouts, spec: {}}"


def load(text: str, file: str) -> Loaded:
    """Load a text beside which every file holds layouts, as the full spec names them."""
    return load_with(text, file, lambda path: LAYOUTS)


def edited(old: str, new: str) -> str:
    assert FULL.count(old) >= 1, old
    return FULL.replace(old, new, 1)


def only(text: str) -> Diagnostic:
    loaded = load(text, "c.yaml")
    assert loaded.spec is None
    (found,) = loaded.diagnostics
    return found


def marked(text: str, found: Diagnostic) -> str:
    """Return what a diagnostic of one line underlines."""
    span = found.span
    assert span is not None
    assert span.line == span.end_line
    return text.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


# ---- what is right


def test_every_field_of_the_language_loads() -> None:
    loaded = load(FULL, "c.yaml")

    assert loaded.diagnostics == ()
    assert loaded.spec is not None
    spec = loaded.spec.spec
    assert loaded.spec.metadata.name == "homelab"
    assert [pool.name for pool in spec.pools] == ["gpu", "shared", "mps", "auto", "word", "profile", "layout", "turns", "none"]
    assert spec.pools[0].nodes == ("gpu-1", "gpu-2.example.org")
    assert spec.pools[1].driver == "host"
    assert spec.stack["gpu-operator"].values == {"dcgmExporter": {"enabled": "yes", "list": [1, 2.5, None]}}
    assert spec.delivery.argocd.repo_url == "https://example.org/infra.git"


def test_what_is_left_out_has_its_default() -> None:
    loaded = load(SMALL, "c.yaml")

    assert loaded.spec is not None
    spec = loaded.spec.spec
    pool = spec.pools[0]
    assert (spec.kubernetes.distribution, spec.delivery.target, spec.policy.scheduler) == ("kubeadm", "kustomize", "auto")
    assert (pool.driver, pool.partition, pool.gpus, pool.os, pool.memory) == ("auto", "none", (), "", "")


def test_a_spec_cannot_be_changed() -> None:
    loaded = load(SMALL, "c.yaml")

    assert loaded.spec is not None
    with pytest.raises(ValueError, match="frozen"):
        loaded.spec.spec.pools[0].name = "other"


# ---- what is wrong: (old, new, code, what is underlined, message, help)

MISTAKES = [
    ('version: "1.35"', "version: 1.35", "FL005", "1.35", "version is the number 1.35, not a text", 'write "1.35"'),
    ('version: "1.35"', "version: 1.30", "FL005", "1.30", "version is the number 1.30, not a text", 'write "1.30"'),
    ('version: "1.35"', "version: latest", "FL016", "latest", "version latest is not a version of Kubernetes",
     'write a minor version or a patch of it, such as "1.35" or "1.35.2"'),
    ("DRAPartitionableDevices: true", "DRAPartitionableDevices: on", "FL005", "on",
     "DRAPartitionableDevices is the text on, not true or false", "write true"),
    ("name: homelab", "nam: homelab", "FL003", "nam", "metadata has no field nam", "write name"),
    ("name: homelab", "name: Home_Lab", "FL016", "Home_Lab", "name Home_Lab is not a DNS label", "write home-lab"),
    ("name: homelab", "name: 42", "FL005", "42", "name is the number 42, not a text", 'write "42"'),
    ("name: homelab", "name: " + "x" * 64, "FL006", "x" * 64, "name has 64 characters, at most 63 are allowed", "shorten it"),
    ("nodes: [gpu-1, gpu-2.example.org]", "nodes: gpu-1", "FL005", "gpu-1", "nodes is the text gpu-1, not a list", "write [gpu-1]"),
    ("nodes: [gpu-1, gpu-2.example.org]", "nodes: {a: b}", "FL005", "{a: b}", "nodes is a mapping, not a list",
     "write a dash and a space before each item"),
    ("nodes: [gpu-1, gpu-2.example.org]", "nodes: [GPU 1]", "FL016", "GPU 1", "nodes[0] GPU 1 is not a name that a node can have",
     "write gpu-1"),
    ("count: 3", "count: 0", "FL006", "0", "count is 0, at least 1 is wanted", "write 1 or more"),
    ("count: 3", 'count: "3"', "FL005", '"3"', 'count is the text "3", not a whole number', "write 3"),
    ("count: 3", "count: 3.0", "FL005", "3.0", "count is the number 3.0, not a whole number", "write 3"),
    ("count: 3", "count: true", "FL005", "true", "count is the boolean true, not a whole number", "write a whole number, such as 8"),
    ("count: 3", "count:", "FL005", "", "count is empty, not a whole number", "write a value, such as 8, or remove the line"),
    ("count: 3\n      gpus", "gpus", "FL004", "name", "spec.pools[1] has none of nodes, count",
     "add one of them, such as nodes: [gpu-1, gpu-2]"),
    ("count: 3", "count: 3\n      nodes: [a]", "FL018", "count", "pools[1] has both nodes and count", "keep nodes or count"),
    ("card: l40s", 'card: ""', "FL006", '""', "card is empty", "write a value, such as h100-80gb"),
    ("{card: l40s}", "{count: 1}", "FL004", "{count: 1}", "spec.pools[1].gpus[0] has no card", "add card: h100-80gb"),
    ("{card: l40s}", "l40s", "FL005", "l40s", "gpus[0] is the text l40s, not a mapping", "write a mapping"),
    ("memory: 1.5Ti", "memory: 64", "FL005", "64", "memory is the number 64, without a unit", "write 64Gi, or the unit that is meant"),
    ("memory: 1.5Ti", "memory: 96 GB", "FL016", "96 GB", "memory 96 GB is not an amount of memory as Kubernetes writes it",
     "write 96Gi (powers of two) or 96G (powers of ten)"),
    ("memory: 1.5Ti", "memory: lots", "FL016", "lots", "memory lots is not an amount of memory as Kubernetes writes it",
     "write a number and its unit, such as 96Gi (powers of two) or 96G (powers of ten)"),
    ('empty: ""', "level: 3", "FL005", "3", "level is the number 3, not a text", 'write "3"'),
    ('empty: ""', "a b: c", "FL016", "a b", "the key a b is not a key that Kubernetes takes",
     "use letters, digits, dashes, dots and underscores, after at most one prefix such as example.org/"),
    ('empty: ""', "a: -b-", "FL016", "-b-", "a -b- is not a value that Kubernetes takes",
     "use letters, digits, dashes, dots and underscores, with a letter or digit at both ends"),
    ("effect: NoSchedule", "effect: noschedule", "FL017", "noschedule",
     "effect is noschedule, not NoSchedule, PreferNoSchedule or NoExecute", "write NoSchedule"),
    ("driver: host", "driver: hots", "FL017", "hots", "driver is hots, not auto, host, operator or a mapping", "write host"),
    ("driver: host", "driver: nvidia-580", "FL017", "nvidia-580", "driver is nvidia-580, not auto, host, operator or a mapping",
     "write auto, host or operator, or a mapping with version or kernelModules"),
    ("driver: host", "driver: 5", "FL005", "5", "driver is the number 5, not auto, host, operator or a mapping",
     "write auto, host, operator or a mapping, such as host"),
    ("kernelModules: open", "kernel_modules: open", "FL003", "kernel_modules", "spec.pools[0].driver has no field kernel_modules",
     "write kernelModules"),
    ("{mig: auto}", "{mgi: auto}", "FL003", "mgi", "spec.pools[4].partition has no field mgi", "write mig"),
    ("{mig: auto}", "{}", "FL004", "{}", "spec.pools[4].partition has none of mig, timeSlicing, mps, modes",
     "add one of them, such as mig: auto"),
    ("{mig: auto}", "{mig: null}", "FL006", "null", "mig is empty", "write a value, such as {profile: 1g.10gb}"),
    ("{mig: auto}", "{modes: {}}", "FL006", "{}", "modes is empty", "write a value, such as {cpx_nps1: 3, spx_nps1: 5}"),
    ("{mig: auto}", "{modes: 0}", "FL005", "0", "modes is the number 0, not a text", "write a text, such as cpx_nps4"),
    ("{mig: auto}", "{mig: {profile: 0}}", "FL005", "0", "profile is the number 0, not a text", "write a text, such as 1g.10gb"),
    ("{mig: auto}", "{mig: {layouts: [{gpus: all, layout: none}]}}", "FL005", "all", "gpus is the text all, not a list",
     "write a list, such as [0, 1]"),
    ("{mig: auto}", "{mig: {auto: {headroom: 0.1}}}", "FL005", "0.1", "headroom is the number 0.1, not a percentage",
     "write 10%, or 0.1% if that is meant"),
    ("{mig: auto}", "{mig: {profile: 1g.10gb, mps: {replicas: 2}, timeSlicing: {replicas: 2}}}", "FL003", "mps",
     "spec.pools[4].partition.mig has no field mps: sharing using MPS is not supported for MIG devices",
     "take it out: timeSlicing is there already"),
    ("{mig: auto}", "{mig: auto, mps: {replicas: 2}}", "FL018", "mps", "partition has both mig and mps", "keep mig or mps"),
    ("{mig: {profile: 1g.10gb}}", "{mig: {profile: 1g.10gb}, timeSlicing: {replicas: 4}}", "FL018", "timeSlicing",
     "partition has both mig and timeSlicing",
     "write `mig: {profile: 1g.10gb, timeSlicing: {replicas: 4}}`, or keep mig or timeSlicing"),
    ("{mig: {profile: 1g.10gb}}", "{mig: {profile: 1g.10gb, mps: {replicas: 4}}}", "FL003", "mps",
     "spec.pools[5].partition.mig has no field mps: sharing using MPS is not supported for MIG devices", "write timeSlicing"),
    ("{mig: auto}", "{mig: auto, timeSlicing: {replicas: 4}}", "FL018", "timeSlicing", "partition has both mig and timeSlicing",
     "keep mig or timeSlicing"),
    ("{mig: auto}", "{mig: {profil: 1g.10gb}}", "FL003", "profil", "spec.pools[4].partition.mig has no field profil", "write profile"),
    ("{timeSlicing: {replicas: 4}}", "{timeSlicing: 4}", "FL005", "4", "timeSlicing is the number 4, not a mapping",
     "write a mapping, such as {replicas: 4}"),
    ("replicas: 8", "replicas: 1", "FL006", "1", "replicas is 1, at least 2 is wanted", "write 2 or more"),
    ("headroom: 10%", "headroom: 10", "FL005", "10", "headroom is the number 10, not a percentage", "write 10%"),
    ("headroom: 10%", "headroom: 110%", "FL016", "110%", "headroom 110% is not a percentage",
     "write a number from 0 to 100 and a percent sign, such as 10%"),
    ("{layout: {3g.40gb: 2}}", "{layout: {3g.40gb: 0}}", "FL006", "0", "3g.40gb is 0, at least 1 is wanted", "write 1 or more"),
    ("{layout: {3g.40gb: 2}}", "{layout: nothing}", "FL017", "nothing", "layout is nothing, not none or a mapping",
     "write none or a mapping"),
    ("limit: {gpu: 16}", "limit: 16", "FL005", "16", "limit is the number 16, not a mapping", "write a mapping, such as {gpu: 8}"),
    ("weight: 2", "weight: 0", "FL006", "0", "weight is 0, at least 1 is wanted", "write 1 or more"),
    ("fraction: 0.25", "fraction: 1", "FL006", "1", "fraction is 1, less than 1 is wanted", "write 0.25"),
    ("fraction: 0.25", "fraction: 25%", "FL005", "25%", "fraction is the text 25%, not a number", "write 0.25"),
    ("{vendor: nvidia, count: 1}", "{count: 1}", "FL004", "{count: 1}",
     "spec.workloads[0].gpu has none of vendor, card, mig, modes, memory, fraction", "add one of them, such as vendor: nvidia"),
    ("gang: {size: 4}", "gang: {}", "FL004", "{}", "spec.workloads[0].gang has no size", "add size: 4"),
    ("manifests: [apps/ollama.yaml]", "manifests: [/apps/ollama.yaml]", "FL013", "/apps/ollama.yaml",
     "/apps/ollama.yaml is not relative to the spec", "write it relative to the folder of the spec, with / between folders"),
    ("present: layouts.yaml", "present: ~/layouts.yaml", "FL013", "~/layouts.yaml", "~/layouts.yaml is not relative to the spec",
     "write it relative to the folder of the spec, with / between folders"),
    ("members: [ollama, by-card]", "members: []", "FL006", "[]", "members holds nothing",
     "write at least one item, such as [ollama, comfyui]"),
    ("leaf: queued", "leaf: quued", "FL017", "quued", "leaf is quued, not auto, bare-plugin, mixed-vendors, partitioned or queued",
     "write queued"),
    ("createNamespaces: true", "createNamespaces: yes", "FL005", "yes", "createNamespaces is the text yes, not true or false",
     "write true"),
    ("code: FL412", "code: F412", "FL016", "F412", "code F412 is not the code of a diagnostic", "write FL and three digits, such as FL412"),
    (", reason: the taint is set by the autoscaler", "", "FL004", "{code: FL412, at: pools.gpu}", "spec.policy.allow[0] has no reason",
     'add reason: "the taint is set by the autoscaler"'),
    ("  stack:", "  stak:", "FL003", "stak", "spec has no field stak", "write stack"),
    ("  stack:", "  zzz: 1\n  stack:", "FL003", "zzz", "spec has no field zzz",
     "its fields are kubernetes, pools, tenants, workloads, exclusive, policy, stack, delivery, include"),
    ("repoURL:", "repoUrl:", "FL003", "repoUrl", "spec.delivery.argocd has no field repoUrl", "write repoURL"),
    ("name: shared", "name: gpu", "FL011", "gpu", "pool gpu is there twice", "give it another name, or remove it"),
    ("name: vision", "name: science", "FL011", "science", "tenant science is there twice", "give it another name, or remove it"),
    ("name: by-memory", "name: by-slice", "FL011", "by-slice", "workload by-slice is there twice", "give it another name, or remove it"),
    ("[gpu-1, gpu-2.example.org]", "[gpu-1, gpu-1]", "FL011", "gpu-1", "node gpu-1 is there twice", "give it another name, or remove it"),
    ("[ollama, by-card]", "[ollama, ollama]", "FL011", "ollama", "member ollama is there twice", "give it another name, or remove it"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "code", "under", "message", "mend"), MISTAKES, ids=[f"{row[2]} {row[4][:50]}" for row in MISTAKES])
def test_a_mistake_is_one_diagnostic_under_what_to_change(old: str, new: str, code: str, under: str, message: str, mend: str) -> None:
    text = edited(old, new)
    found = only(text)

    assert (found.rule.code, found.message, found.help) == (code, message, mend)
    assert marked(text, found) == under


@pytest.mark.parametrize(("old", "new"), [(row[0], row[1]) for row in MISTAKES])
def test_an_edit_mends_what_it_belongs_to(old: str, new: str) -> None:
    text = edited(old, new)
    for edit in only(text).edits:
        lines = text.split("\n")
        line = lines[edit.span.line - 1]
        lines[edit.span.line - 1] = line[: edit.span.column - 1] + edit.text + line[edit.span.end_column - 1 :]
        after = load("\n".join(lines), "c.yaml")

        assert not [item for item in after.diagnostics if item.rule.code == "FL005"]


def test_workloads_of_one_name_in_two_namespaces_are_two() -> None:
    text = edited("{name: by-memory,", "{name: by-slice, namespace: other,")

    assert load(text, "c.yaml").diagnostics == ()


def test_the_first_of_two_names_is_labelled() -> None:
    text = edited("name: vision", "name: science")
    (label,) = only(text).labels

    assert label.message == "the first science is spec.tenants[0]"
    assert label.span == Span("c.yaml", 41, 13, 41, 20)


def test_a_misspelt_field_is_not_said_to_be_missing_as_well() -> None:
    assert only(SMALL.replace("kubernetes", "kubernets")).message == "spec has no field kubernets"


def test_all_mistakes_are_told_at_once_in_the_order_of_the_text() -> None:
    text = FULL
    for old, new in (('"1.35"', "1.35"), ("count: 3", "count: 0"), ("weight: 2", "wait: 2"), ("code: FL412", "code: x"), ("gang:", "gpu:")):
        text = text.replace(old, new, 1)
    found = load(text, "c.yaml").diagnostics

    assert [item.rule.code for item in found] == ["FL005", "FL006", "FL003", "FL002", "FL016"]


def test_what_yaml_refused_is_not_told_again_by_type() -> None:
    assert only(edited("count: 3", 'count: !!int "3"')).rule.code == "FL010"
    assert only(edited("{replicas: 4}", "{<<: {replicas: 4}}")).rule.code == "FL010"


# ---- whole files


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("", "the file is empty, not a cluster spec", ""),
        ("# nothing\n", "the file is empty, not a cluster spec", ""),
        ("- a\n", "the file holds a list, not a cluster spec", ""),
        ("hello\n", "the file holds one value, not a cluster spec", ""),
        ("a: 1\n", "the file has neither apiVersion nor kind, so it is not a cluster spec", ""),
        ("apiVersion: v1\nkind: Pod\n", "the file holds a Pod of v1, not a cluster spec", "kind"),
        ("apiVersion: fourleaf.dev/v2\nkind: Cluster\n", "apiVersion is fourleaf.dev/v2, not fourleaf.dev/v1", "apiVersion"),
        ("apiVersion: fourleaf.dev/v1\nkind: cluster\n", "kind is cluster, not Cluster", "kind"),
        ("apiVersion: fourleaf.dev/v1\nkind: Tenants\n", "kind is Tenants, not Cluster", "kind"),
        ("kind: [a]\n", "the file's kind is no text, so it is not a cluster spec", "kind"),
    ],
)
def test_another_file_is_one_diagnostic_that_says_what_was_expected(text: str, message: str, place: str) -> None:
    found = only(text)

    assert (found.rule.code, found.message, show_path(found.place)) == ("FL007", message, place)
    assert found.help


def test_a_forgotten_kind_is_a_missing_field_among_the_others() -> None:
    found = load(SMALL.replace("kind: Cluster\n", "").replace('"1.35"', "1.35"), "c.yaml").diagnostics

    assert [(item.rule.code, item.message) for item in found] == [
        ("FL004", "the document has no kind"),
        ("FL005", "version is the number 1.35, not a text"),
    ]


def test_no_rule_of_the_text_can_be_allowed() -> None:
    assert not [rule for rule in RULES if rule.allowable or rule.severity is not Severity.ERROR]
    assert len({rule.code for rule in RULES}) == len(RULES)


def test_importing_the_package_loads_neither_pydantic_nor_yaml() -> None:
    program = "import sys, fourleaf.spec; print({'pydantic', 'yaml', 'difflib', 'json'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "set()"


def test_loading_looks_for_no_plugins_of_pydantic_and_leaves_others_theirs() -> None:
    program = (
        f"import sys; from fourleaf.spec import load; assert load({SMALL!r}, 'c').spec; print('importlib.metadata' in sys.modules); "
        "import pydantic; A = pydantic.create_model('A', x=(int, 1)); A(); print('importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True"]
