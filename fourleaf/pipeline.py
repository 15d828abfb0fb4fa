"""The stages in order, and the barriers between them: a stage with errors stops the next. Nobody else knows the order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Path, Span
from fourleaf.diag.sink import has_errors, in_order

if TYPE_CHECKING:
    from fourleaf.decide import Decision
    from fourleaf.emit import Lock
    from fourleaf.ir import Bundle, Plan
    from fourleaf.resolve.inventory import Delivery, Inventory
    from fourleaf.spec import Loaded
    from fourleaf.spec.models import Spec

Read = Callable[[str], bytes]
"""Returns the content of a file beside the spec, by its path relative to the spec."""


def _nowhere(place: Path) -> Span | None:
    return None


class Compilation(Struct, frozen=True, kw_only=True, dict=True):
    """What became of a spec. What stands behind a barrier that errors closed is None, or empty."""

    diagnostics: tuple[Diagnostic, ...] = ()
    """Sorted by place; each has its span."""
    sources: Mapping[str, str] = {}
    """Text of each file that was read, by name."""
    inventory: Inventory | None = None
    decision: Decision | None = None
    plan: Plan | None = None
    bundle: Bundle | None = None
    target: str = ""
    emitted: Callable[[], tuple[Mapping[str, str], Lock]] | None = None
    """Makes the files and their lock; None where a stage before found errors. Emitting finds nothing more: only who wants files pays."""
    span: Callable[[Path], Span | None] = _nowhere
    """Where a place of the spec stands in its text."""

    @property
    def files(self) -> Mapping[str, str]:
        """Path below the output folder to text."""
        return self._set[0] if self._set else {}

    @property
    def lock(self) -> Lock | None:
        return self._set[1] if self._set else None

    @cached_property
    def _set(self) -> tuple[Mapping[str, str], Lock] | None:
        return self.emitted() if self.emitted else None

    @property
    def ok(self) -> bool:
        """No errors; warnings and notes are allowed."""
        return not has_errors(self.diagnostics)


def run(
    text: bytes | str,
    file: str = "cluster.yaml",
    read: Read | None = None,
    target: str | None = None,
    past: frozenset[str] = frozenset(),
) -> Compilation:
    """Take a spec through every stage up to the text of its files, which is made when it is asked for. Nothing is written.

    Args:
        text: the spec.
        file: its name in diagnostics.
        read: gives the files that the spec includes; without it, an include is a diagnostic.
        target: instead of the one that the spec says.
        past: codes of errors that close no barrier. They stay in the diagnostics, and `ok` is false.
    """
    from fourleaf.spec import load

    return _made(load(text, file, read), target, past)


def run_data(tree: dict[str, Any], name: str = "cluster", target: str | None = None) -> Compilation:
    """Take a spec through every stage that is data: dicts with texts for keys, lists and scalars.

    Diagnostics have places and no spans. There is no folder that files could be relative to, so it includes none.

    Args:
        tree: the spec, as a reader of YAML would return it.
        name: what stands for the name of its file.
        target: instead of the one that the spec says.
    """
    from fourleaf.spec import load_data

    return _made(load_data(tree, name), target, frozenset())


def _made(loaded: Loaded, target: str | None, past: frozenset[str]) -> Compilation:
    made = Compilation(diagnostics=loaded.diagnostics)
    if loaded.spec is not None and made.ok:
        made = _stages(loaded, loaded.spec, target, past)
        made = replace(made, diagnostics=_settled(loaded, (*loaded.diagnostics, *made.diagnostics), complete=made.emitted is not None))
    return replace(made, sources=loaded.sources, span=loaded.span if loaded.written else _nowhere)


def _settled(loaded: Loaded, found: Sequence[Diagnostic], *, complete: bool) -> tuple[Diagnostic, ...]:
    """Return diagnostics with their spans, in order, without those that the author accepts."""
    from fourleaf.diag.locate import locate

    kept = _accepted(loaded, found, complete=complete)
    return in_order(locate(kept, loaded.span) if loaded.written else kept)


def _accepted(loaded: Loaded, found: Sequence[Diagnostic], *, complete: bool) -> Sequence[Diagnostic]:
    """Return diagnostics without those that the author accepts."""
    allowances = loaded.allowances()
    if not allowances:
        return found
    from fourleaf.diag.allow import apply
    from fourleaf.rules import rules

    return apply(found, allowances, loaded.named, rules(), complete=complete)


def _stages(loaded: Loaded, spec: Spec, target: str | None, past: frozenset[str]) -> Compilation:
    from fourleaf.checks import check
    from fourleaf.decide import decide
    from fourleaf.emit import EMITTERS
    from fourleaf.lower import lower
    from fourleaf.plan import plan
    from fourleaf.resolve import resolve
    from fourleaf.resolve.delivery import deliver
    from fourleaf.verify import verify

    said: list[Diagnostic] = []

    def barred() -> bool:
        """Tell whether errors that nobody accepts close the way to the next stage."""
        return has_errors(one for one in _accepted(loaded, said, complete=False) if one.rule.code not in past)

    inventory, found = resolve(spec, loaded.layouts)
    said += found
    if inventory is None or barred():
        return Compilation(diagnostics=tuple(said))
    delivery, found = deliver(inventory, target, tuple(EMITTERS))
    said += found
    decision, found = decide(inventory)
    said += found
    made = Compilation(inventory=inventory, decision=decision, target=delivery.target)
    if decision is None:
        return replace(made, diagnostics=tuple(said))
    planned = plan(inventory, decision)
    made = replace(made, plan=planned)
    said += check(inventory, decision, planned)
    if barred():
        return replace(made, diagnostics=tuple(said))
    bundle, found = lower(planned)
    said += found
    made = replace(made, bundle=bundle)
    if not barred():
        said += verify(planned, bundle)
    if not barred():
        source = "".join(loaded.sources.values()).encode()
        made = replace(made, emitted=lambda: _emitted(bundle, planned, decision, delivery, source))
    return replace(made, diagnostics=tuple(said))


def _emitted(bundle: Bundle, planned: Plan, decision: Decision, delivery: Delivery, source: bytes) -> tuple[Mapping[str, str], Lock]:
    from fourleaf.emit import Destination, Lock, emit
    from fourleaf.systems import SYSTEMS

    records = {component.system: SYSTEMS[component.system].record for component in planned.components}
    installed = [name for name, record in records.items() if record.version]
    destination = Destination(
        name=planned.name,
        kubernetes=planned.kubernetes,
        title=f"leaf {decision.leaf} {decision.name} ({', '.join(installed)})",
        delivery=delivery,
        plan=planned,
        ignore={record.chart: record.drift for record in records.values() if record.drift},
    )
    files = emit(bundle, destination, delivery.target)
    return files, Lock.of(files, bundle, delivery.target, source)
