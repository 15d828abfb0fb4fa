"""The README of a set: what it is, what must be there first, how it reaches the cluster, what workloads must carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fourleaf.emit.commands import fenced
from fourleaf.emit.destination import Destination, Emitter
from fourleaf.emit.order import Folder
from fourleaf.ir import Binding, Bundle, Prerequisite


def readme(bundle: Bundle, folders: Sequence[Folder], bindings: Mapping[str, Binding], emitter: Emitter, destination: Destination) -> str:
    """Return the text, in Markdown.

    Args:
        bindings: path to the binding that stands there.
    """
    head = (
        f"# {destination.name}: {destination.title}\n\n"
        f"For Kubernetes {destination.kubernetes}. Written by fourleaf: change the cluster spec and compile again. A file that was changed "
        "here stops the next compile.\n"
    )
    apply = f"## Apply\n\n{emitter.route(folders, destination)}"
    return "\n".join([head, *_first(bundle.prerequisites), apply, *_workloads(bindings)])


def _first(todo: Sequence[Prerequisite]) -> Iterator[str]:
    if not todo:
        return
    yield "## First\n\nWhat fourleaf cannot apply for you:\n"
    for number, one in enumerate(todo, 1):
        why = f" ({one.origin.rule})" if one.origin.rule else ""
        block = f"\n\n{fenced([one.command])}" if one.command else "\n"
        text = f"\n{fenced([one.text.rstrip()], '')}" if one.text else ""
        yield f"{number}. {one.what}{why}{block}{text}"


def _workloads(bindings: Mapping[str, Binding]) -> Iterator[str]:
    if not bindings:
        return
    first = next(iter(bindings))
    file = first.rpartition("/")[2]
    rows = "".join(
        f"| {one.namespace}/{one.name} | {one.kind} | {', '.join(_asks(one)) or 'nothing'} | [{path}]({path}) |\n"
        for path, one in bindings.items()
    )
    yield (
        "## Workloads\n\nEach file under `bindings/` is a patch for a manifest of your own; nothing lists or applies it. With kustomize, "
        f"put it beside your manifest and list it:\n\n{fenced(['patches:', f'- path: {file}'], 'yaml')}\nor by hand:\n\n"
        f"{fenced([f'kubectl patch --local -f YOUR-MANIFEST.yaml --type strategic --patch-file {first} -o yaml'])}\n"
        f"| workload | kind | asks for | patch |\n|---|---|---|---|\n{rows}"
    )


def _asks(binding: Binding) -> list[str]:
    return [f"{count} {name}" for name, count in binding.requests.items()] + [f"claim {name}" for name in binding.claims]
