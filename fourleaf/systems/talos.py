"""Talos: what systems need of its nodes becomes one machine configuration a pool, for a person to apply.

An ask for "host-setup" is a mapping with any of these keys, each a list unless said otherwise:
    extensions: system extensions, as the Image Factory names them
    modules: kernel modules
    sysctls: a mapping of kernel parameters, text to text
    cdi: directories in which containerd must look for CDI specifications
    runtimes: OCI runtimes whose pods must start with the specification that Talos gives runc
    default_runtime: the runtime of pods that name none (text)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fourleaf.ir import Ask, Component, Origin, Part, Plan, Pool, Prerequisite, Value
from fourleaf.systems.record import record, release
from fourleaf.systems.system import System

CRI = '[plugins."io.containerd.cri.v1.runtime"'


@dataclass(slots=True)
class _Setup:
    """Everything that the systems of one pool ask of its hosts."""

    extensions: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    sysctls: dict[str, str] = field(default_factory=dict)
    cdi: list[str] = field(default_factory=list)
    runtimes: list[str] = field(default_factory=list)
    default_runtime: str = ""

    def add(self, value: Value) -> None:
        for key, said in _mapping(value).items():
            if key == "default_runtime":
                self.default_runtime = _agreed(key, self.default_runtime or str(said), str(said))
            elif key == "sysctls":
                for name, number in _mapping(said).items():
                    self.sysctls[name] = _agreed(name, self.sysctls.get(name, str(number)), str(number))
            elif isinstance(said, Sequence):
                have: list[str] = getattr(self, key)
                have += [str(item) for item in said if item not in have]


def _mapping(value: Value) -> Mapping[str, Value]:
    if not isinstance(value, Mapping):
        raise TypeError(value)
    return value


def _agreed(key: str, before: str, now: str) -> str:
    """Return a value that every ask gives alike. Two values are a bug of the systems that asked."""
    if before != now:
        raise AssertionError(f"{key}: {before} and {now}")
    return now


def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    for pool in plan.pools_of(component):
        setup = _Setup()
        for ask in asks:
            if ask.pool == pool.name:
                setup.add(ask.value)
        schematic, patch = [*_schematic(pool, setup)], [*_patch(pool, setup)]
        if schematic or patch:
            at = "" if _documents(pool) else "@"
            parts = [*(["extensions in their image"] if schematic else []), *(["a patch of their configuration"] if patch else [])]
            yield Prerequisite(
                what=f"Talos on the nodes of pool {pool.name}: {', then '.join(parts)}",
                command=f"talosctl --nodes {_nodes(pool)} patch mc --patch {at}{_file(pool)}" if patch else "",
                text="\n".join([*schematic, *patch]),
                origin=Origin(pool.origin.place, "systems on this pool need it of their host"),
            )


def _schematic(pool: Pool, setup: _Setup) -> Iterator[str]:
    if setup.extensions:
        yield f"# schematic-{pool.name}.yaml: the image of each node of the pool. This list replaces the one that a node has, so add"
        yield "# what is in that. Upgrade one node after the other, control planes above all."
        yield f"#   curl -X POST --data-binary @schematic-{pool.name}.yaml {_facts()['factory']}"
        yield f"#   talosctl --nodes <node> upgrade --image factory.talos.dev/metal-installer/<id of the answer>:v{pool.host.version}.x"
        yield from ["customization:", "  systemExtensions:", "    officialExtensions:"]
        yield from (f"      - {name}" for name in sorted(setup.extensions))


def _patch(pool: Pool, setup: _Setup) -> Iterator[str]:
    cri = [*_cri(setup)]
    lines = [*(_new_form(setup, cri) if _documents(pool) else _old_form(setup, cri))]
    if lines:
        if setup.extensions:
            yield ""
        yield f"# {_file(pool)}: apply it once the extensions are there. No other patch of the node may hold the same settings."
        yield from lines


def _old_form(setup: _Setup, cri: Sequence[str]) -> Iterator[str]:
    if setup.modules or setup.sysctls or cri:
        yield "machine:"
    if setup.modules:
        yield from ["  kernel:", "    modules:", *(f"      - name: {name}" for name in setup.modules)]
    if setup.sysctls:
        yield from ["  sysctls:", *(f'    {key}: "{value}"' for key, value in sorted(setup.sysctls.items()))]
    if cri:
        yield from ["  files:", f"    - path: {_facts()['customization']}", "      op: create", "      content: |"]
        yield from (f"        {line}" for line in cri)


def _new_form(setup: _Setup, cri: Sequence[str]) -> Iterator[str]:
    documents = [["kind: KernelModuleConfig", f"name: {name}"] for name in setup.modules]
    if setup.sysctls:
        documents.append(["kind: SysctlConfig", "params:", *(f'  {key}: "{value}"' for key, value in sorted(setup.sysctls.items()))])
    if cri:
        named = f"name: {_facts()['document']}"
        documents.append(["kind: CRICustomizationConfig", named, "content: |", *(f"  {line}" for line in cri)])
    for number, document in enumerate(documents):
        yield from [*(["---"] if number else []), "apiVersion: v1alpha1", *document]


def _cri(setup: _Setup) -> Iterator[str]:
    """Yield containerd's configuration: one text, since each node takes only one."""
    # Directories of its own replace containerd's defaults, so whoever counts on those asks for them too.
    if set(setup.cdi) - set(_facts()["cdi"]):
        yield f"{CRI}]"
        yield f"  cdi_spec_dirs = [{', '.join(_quoted(setup.cdi))}]"
    if setup.default_runtime:
        yield f"{CRI}.containerd]"
        yield f'  default_runtime_name = "{setup.default_runtime}"'
    for name in sorted({*setup.runtimes, setup.default_runtime} - {""}):
        yield f"{CRI}.containerd.runtimes.{name}]"
        yield f'  base_runtime_spec = "{_facts()["base_spec"]}"'


def _quoted(names: Sequence[str]) -> Iterator[str]:
    return (f'"{name}"' for name in names)


def _documents(pool: Pool) -> bool:
    """Tell whether this version of Talos has documents of their own for what stood under `machine`."""
    return release(pool.host.version) >= release(_facts()["documents"])


def _nodes(pool: Pool) -> str:
    return ",".join(pool.nodes) or f"<each node of pool {pool.name}>"


def _file(pool: Pool) -> str:
    return f"talos-{pool.name}.yaml"


def _facts() -> Mapping[str, Any]:
    return record("talos").facts


SYSTEM = System(
    name="talos",
    answers=("ground", "talos"),
    takes=frozenset({"host-setup"}),
    applies=lambda pool: pool.host.family == "talos",
    lower=lower,
)
