"""What all components do: compile their arguments, say what is wrong with them, and register what was made."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

import pulumi

from fourleaf.diag import Diagnostic, Severity, nearest
from fourleaf.diag.render import render
from fourleaf.diag.sink import count
from fourleaf.ir import Ask, Binding, Bundle, Plan, Prerequisite, Ref
from fourleaf.ir import Component as PlanComponent
from fourleaf.pipeline import Compilation, run_data
from fourleaf.systems import SYSTEMS
from fourleaf_components.fragment import Fragment, NotPlainError, Writer, camel, fields_of
from fourleaf_components.register import MissingChartError, Registration, Resources, register

PACKAGE = "fourleaf"
CONFIG = "fourleaf"
"""Namespace of the stack's configuration that all components read: `fourleaf:charts`."""
SECTIONS = ("kubernetes", "pools", "tenants", "workloads", "exclusive", "policy", "stack")
"""Arguments that are a section of the spec."""
WORDS: Mapping[str, tuple[str, ...]] = {"allocation": ("policy", "allocation")}
"""Arguments that are a word of the spec, with its place."""
PINNED = ("version", "values")
"""Arguments that are the spec's pin of the component's own system."""
HOSTED = False
"""The components run in a process of their own, and errors go to the engine as answers: see `host`."""


class ArgumentsError(pulumi.RunError):
    """The arguments of a component are wrong.

    Attributes:
        findings: (path, text) of each error; a path begins with the component's name.
    """

    def __init__(self, summary: str, findings: Sequence[tuple[str, str]]) -> None:
        super().__init__(summary)
        self.findings = findings


class Component(pulumi.ComponentResource):
    """A component of this package. It passes no inputs on: previews show the objects that change, and not their cause beside them."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None) -> None:
        super().__init__(f"{PACKAGE}:index:{type(self).__name__}", name, {}, opts)
        self._name_given = name

    def _compiled(
        self, args: Mapping[str, Any], declared: type, system: str = "", fixed: Mapping[str, Mapping[str, str]] | None = None
    ) -> Compilation:
        """Compile the arguments.

        Args:
            declared: their type.
            system: whose version and raw values they hold.
            fixed: what the component itself adds to the spec.

        Raises:
            ArgumentsError: there are errors in them; they are on the component already.
        """
        writer = Writer()
        fields = fields_of(declared)
        for name in args:
            if name not in fields:
                close = "".join(f", it has {known}" for known in nearest(name, fields, limit=1))
                self._refuse(f"{self._name_given}.{name}", f"{self._name_given} has no argument {name}{close}")
        for name, kind in fields.items():
            place = (name,) if name in SECTIONS else ("stack", system, name) if name in PINNED else WORDS.get(name, ())
            try:
                if place:
                    writer.put(place, args.get(name), kind, name)
            except NotPlainError as error:
                where = f"{self._name_given}.{error}"
                self._refuse(where, f"{where} is an output: the compiler needs the value itself, while the program runs")
        for section, words in (fixed or {}).items():
            writer.body.setdefault(section, {}).update(words)
        fragment = writer.fragment(self._name_given)
        return self._judged(run_data(fragment.tree, self._name_given, target="plain"), fragment)

    def _judged(self, made: Compilation, fragment: Fragment | None) -> Compilation:
        """Put what was found on the component, and return what was made.

        Args:
            fragment: where places come from; None where the spec has a text, which is shown.
        """
        errors = []
        for item in made.diagnostics:
            path, text = self._said(item, made, fragment)
            if item.severity is Severity.ERROR:
                errors.append((path, text))
            elif item.severity is Severity.WARNING:
                pulumi.log.warn(text, self)
        if errors:
            number = count(made.diagnostics).errors
            self._fail(errors, f"{self._name_given}: {number} error{'s' * (number != 1)} in its arguments")
        return made

    def _whole(self, made: Compilation) -> tuple[Bundle, Plan]:
        """Return what a compilation without errors has."""
        if made.bundle is None or made.plan is None:
            raise AssertionError(f"{self._name_given} compiled to nothing, without an error")
        return made.bundle, made.plan

    def _said(self, item: Diagnostic, made: Compilation, fragment: Fragment | None) -> tuple[str, str]:
        """Return the property path of a diagnostic and its text, which Pulumi begins with its severity."""
        head = f"{item.rule.code}: {item.message}"
        if fragment is None:
            _, *rest = render([item], made.sources).splitlines()
            return self._name_given, "\n".join([head, *rest])
        where = fragment.shown(self._name_given, item.place)
        lines = [head, f" --> {where}"]
        lines += [f" ::: {fragment.shown(self._name_given, label.place)}: {label.message}" for label in item.labels]
        lines += [f"  = {word}: {text}" for word, text in (("help", item.help), ("note", item.note)) if text]
        return where, "\n".join(lines)

    def _refuse(self, where: str, text: str) -> NoReturn:
        """End the program for one wrong argument."""
        self._fail([(where, text)], f"{self._name_given}: 1 error in its arguments")

    def _fail(self, findings: Sequence[tuple[str, str]], summary: str) -> NoReturn:
        """Put errors on the component and end the program."""
        if not HOSTED:
            pulumi.log.error("\n\n".join(text for _, text in findings), self)
        raise ArgumentsError(summary, findings)

    def _registered(self, bundle: Bundle, args: Mapping[str, Any], given: Mapping[Ref, pulumi.Output[str]] | None = None) -> Resources:
        how = Registration(
            parent=self,
            name=self._name_given,
            given=given or {},
            charts=pulumi.Config(CONFIG).get("charts") or "",
            skip_await=bool(args.get("skip_await")),
        )
        try:
            return register(bundle, how)
        except MissingChartError as error:
            self._refuse(self._name_given, f"{CONFIG}:charts: {error}")

    def _given(self, path: str, value: pulumi.Input[str], wanted: str) -> pulumi.Output[str]:
        """Return a name that another part of the program gives, which must be the one that the compiler counts on."""
        where = f"{self._name_given}.{path}"

        def same(name: str) -> str:
            if name != wanted:
                raise pulumi.RunError(f"{where} is {name}, and its pools make {wanted}: give both components the same pools")
            return name

        return pulumi.Output.from_input(value).apply(same)

    def _finish(self) -> None:
        """Hand the outputs, the annotated fields of the class, to the engine."""
        self.register_outputs({camel(name): getattr(self, name) for name in inspect.get_annotations(type(self))})


def with_needs(system: str) -> tuple[str, ...]:
    """Return a system and those that must stand below it."""
    return (*(name for below in SYSTEMS[system].needs for name in with_needs(below)), system)


def standing(plan: Plan, system: str) -> PlanComponent | None:
    """Return a system as it stands in a plan, None where it stands on no pool."""
    return next((one for one in plan.components if one.system == system), None)


def offered(plan: Plan, system: str) -> list[str]:
    """Return the names of what pods ask an allocator for."""
    return sorted({one.resource.name for one in plan.supplies if one.allocator == system})


def named(bundle: Bundle, kind: str) -> list[str]:
    """Return the names of all of a kind that a bundle has, whoever brings them: `RuntimeClass.node.k8s.io`."""
    refs = [part.ref for part in bundle.objects]
    refs += [item.ref for chart in bundle.charts for item in chart.provides]
    refs += [one.brings for one in bundle.prerequisites if one.brings]
    return sorted({ref.name for ref in refs if ref.kind == kind})


def claim_templates(mine: Bundle, bindings: Iterable[Binding]) -> dict[str, Ref]:
    """Return the template of each workload's claims, by `namespace/name`, of those that a part makes."""
    made = {(part.namespace, part.name): part.ref for part in mine.objects if part.kind == "ResourceClaimTemplate"}
    named = ((one, (one.namespace, str(template))) for one in bindings for template in one.claims.values())
    return {f"{one.namespace}/{one.name}": made[key] for one, key in named if key in made}


def after(value: Any, *resources: pulumi.Resource | None) -> pulumi.Output[Any]:
    """Return a value that is known also in a preview; what uses it waits for the resources."""
    there = [resource.urn for resource in resources if resource is not None]
    return pulumi.Output.all(*there).apply(lambda _: value) if there else pulumi.Output.from_input(value)


def todo(prerequisites: Iterable[Prerequisite]) -> list[dict[str, str]]:
    """Return prerequisites as the outputs have them."""
    said = ({"what": one.what, "command": one.command, "text": one.text} for one in prerequisites)
    return [{key: value for key, value in one.items() if value} for one in said]


def node_labels(asks: Iterable[Ask]) -> dict[str, dict[str, str]]:
    """Return the labels that nodes must carry, by pool."""
    labels: dict[str, dict[str, str]] = {}
    for ask in asks:
        if ask.topic == "node-label" and isinstance(ask.value, Mapping):
            labels.setdefault(ask.pool, {}).update({key: str(value) for key, value in ask.value.items()})
    return labels
