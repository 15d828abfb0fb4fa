"""Parts of a bundle become Pulumi resources: each object its own, each chart a release.

An object has the type token of Pulumi's typed Kubernetes classes, so a preview shows it as they would, and is what the compiler's other
routes write: nothing is added but `pulumi.com/*` annotations, which are Pulumi's own. Resources depend on the single resources that they
refer to, never on a component, which would be all of its children.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import pulumi
from msgspec import Struct

from fourleaf.emit.manifest import manifest, plain
from fourleaf.emit.order import rising
from fourleaf.ir import Bundle, Chart, Object, Ref
from fourleaf.kube import definitions, served
from fourleaf.systems import SYSTEMS

Resources: TypeAlias = Mapping[Ref, pulumi.Resource]

SKIP_AWAIT = "pulumi.com/skipAwait"
AWAITED = frozenset({"DaemonSet", "Deployment", "Job", "StatefulSet"})
"""Kinds of ours for which the provider waits until their pods are ready: minutes, where nodes restart or images are large."""
SECRET = ("data", "stringData")
OWNED: Mapping[str, tuple[str, ...]] = {
    "CustomResourceDefinition": ("spec.conversion.webhook.clientConfig.caBundle",),
    "MutatingWebhookConfiguration": ("webhooks[*].clientConfig.caBundle",),
    "ValidatingWebhookConfiguration": ("webhooks[*].clientConfig.caBundle",),
}
"""Fields that controllers write into objects of others; what systems know of their own is in the catalogue (`Record.drift`)."""


class MissingChartError(Exception):
    """A chart is not in the folder of vendored charts; the text says which, and how it gets there."""


class Registration(Struct, frozen=True, kw_only=True):
    """How parts are registered.

    Attributes:
        parent: the component that they belong to.
        name: of the component; names of resources begin with it and never change for one object.
        given: what something else of the program makes, and its name: it is not registered, and what refers to it waits for it.
        charts: folder with vendored charts, relative to that of the program; empty: charts come from their repositories.
        skip_await: nothing is waited for.
    """

    parent: pulumi.Resource
    name: str
    given: Mapping[Ref, pulumi.Output[str]] = {}
    charts: str = ""
    skip_await: bool = False


class Manifest(pulumi.CustomResource):
    """A Kubernetes object as its manifest has it; the values of its top level may be outputs."""

    def __init__(self, name: str, manifest: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        api_version, kind = manifest["apiVersion"], manifest["kind"]
        given: dict[str, Any] = {"version": _provider(), "aliases": _aliases(api_version, kind)}
        props = dict(manifest)
        if (api_version, kind) == ("v1", "Secret"):
            props |= {key: pulumi.Output.secret(props[key]) for key in SECRET if key in props}
            given["additional_secret_outputs"] = [*SECRET]
        own = pulumi.ResourceOptions(**given)
        super().__init__(token(api_version, kind), name, props, pulumi.ResourceOptions.merge(own, opts) if opts else own)


def register(bundle: Bundle, how: Registration) -> Resources:
    """Register all parts of a bundle, or of a part of one, each after those that it waits for.

    Raises:
        MissingChartError: before anything is registered.
    """
    sources = {chart.ref: _source(chart, how.charts) for chart in bundle.charts}
    filled = _filling({ref.name: output for ref, output in how.given.items() if ref.kind != "Namespace"})
    outside: dict[Ref, list[pulumi.Output[None]]] = {}
    for who, to in bundle.edges:
        if to in how.given:
            outside.setdefault(who, []).append(how.given[to].apply(lambda _: None))  # no resource, but what its output comes from
    made: dict[Ref, pulumi.Resource] = {}
    for part, needs in rising(bundle):
        if part.ref in how.given:
            continue
        namespace = how.given.get(Ref("Namespace", part.namespace), part.namespace)
        after = [*(made[ref] for ref in needs if ref in made), *outside.get(part.ref, ())]
        options: dict[str, Any] = {"parent": how.parent, "depends_on": after}
        name = f"{how.name}:" + "/".join(word for word in (part.namespace, part.ref.name) if word)
        if isinstance(part, Chart):
            made[part.ref] = _release(part, name, namespace, filled(plain(part.values)), sources[part.ref], options, how.skip_await)
        else:
            made[part.ref] = _object(part, name, namespace, options, how.skip_await)
    return made


def token(api_version: str, kind: str) -> str:
    """Return the type token of a kind: that of the typed classes, and of Pulumi's own readers of manifests."""
    return f"kubernetes:{'core/v1' if api_version == 'v1' else api_version}:{kind}"


def _object(made: Object, name: str, namespace: pulumi.Input[str], options: dict[str, Any], skip_await: bool) -> pulumi.Resource:
    body = manifest(made)
    if isinstance(namespace, pulumi.Output):
        body["metadata"] = {**body["metadata"], "namespace": namespace}
    if skip_await and made.kind in AWAITED:
        annotations = {**body["metadata"].get("annotations", {}), SKIP_AWAIT: "true"}
        body["metadata"] = {**body["metadata"], "annotations": annotations}
    if made.keep:
        options["retain_on_delete"] = True
    ignored = _ignored(made)
    if ignored:
        options["ignore_changes"] = ignored
    return Manifest(name, body, pulumi.ResourceOptions(**options))


def _ignored(made: Object) -> list[str]:
    """Return property paths of what controllers own in an object."""
    drift = SYSTEMS[made.by].record.drift if made.by else ()
    pointers = [
        pointer
        for entry in drift
        if (entry["group"], entry["kind"]) == (made.group, made.kind) and entry.get("name", made.name) == made.name
        for pointer in entry.get("jsonPointers", ())
    ]
    return [*OWNED.get(made.kind, ()), *(pointer.strip("/").replace("/", ".") for pointer in pointers)]


def _release(
    chart: Chart,
    name: str,
    namespace: pulumi.Input[str],
    values: Any,
    source: Mapping[str, Any],
    options: dict[str, Any],
    skip_await: bool,
) -> pulumi.Resource:
    from pulumi_kubernetes.helm.v3 import Release

    return Release(
        name,
        name=chart.release,
        namespace=namespace,
        version=chart.version,
        values=values,
        skip_await=skip_await,
        skip_crds=not chart.definitions,
        **source,
        opts=pulumi.ResourceOptions(**options),
    )


def _source(chart: Chart, folder: str) -> Mapping[str, Any]:
    """Return the arguments that say where a chart comes from. A repository that cannot be reached fails a preview, a folder does not."""
    if folder:
        packed = Path(folder, f"{chart.name}-{chart.version}.tgz")
        unpacked = Path(folder, f"{chart.name}-{chart.version}")
        found = next((path for path in (packed, unpacked) if path.exists()), None)
        if found is None:
            raise MissingChartError(f"there is no {packed}; fetch it with: {_pull(chart)} --destination {folder}")
        return {"chart": str(found)}
    if chart.repository.startswith("oci://"):
        return {"chart": f"{chart.repository}/{chart.name}"}
    return {"chart": chart.name, "repository_opts": {"repo": chart.repository}}


def _pull(chart: Chart) -> str:
    where = f"{chart.repository}/{chart.name}" if chart.repository.startswith("oci://") else f"{chart.name} --repo {chart.repository}"
    return f"helm pull {where} --version {chart.version}"


def _filling(given: Mapping[str, pulumi.Output[str]]) -> Callable[[Any], Any]:
    """Return what puts outputs in the place of the names that they will have."""

    def filled(value: Any) -> Any:
        match value:
            case str():
                return given.get(value, value)
            case dict():
                return {key: filled(item) for key, item in value.items()}
            case list():
                return [filled(item) for item in value]
        return value

    return filled if given else lambda value: value


@cache
def _aliases(api_version: str, kind: str) -> list[pulumi.Alias]:
    """Return the same object in the other versions of its API: when Kubernetes or the spec moves on, it stays the same resource."""
    group, _, own = api_version.rpartition("/")
    record = definitions.record(group, kind)
    names = [entry["name"] for entry in record["versions"]] if record else served.every_version(group, kind)
    return [pulumi.Alias(type_=token(f"{group}/{name}".lstrip("/"), kind)) for name in names if name != own]


@cache
def _provider() -> str:
    """Return the version of the provider that the installed SDK is made for: the engine takes exactly that one."""
    return version("pulumi_kubernetes")
