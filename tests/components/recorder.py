"""A Pulumi program runs in this process, without an engine, and what it registers is kept as the engine would get it.

It stands on the SDK's mocks. The monitor keeps whole requests, since mocks see inputs alone; each run has its own context, event loop and
one thread, so runs cannot see each other and requests arrive one by one.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pulumi
from google.protobuf import struct_pb2
from pulumi.runtime import mocks
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.stack import Stack, run_pulumi_func

SIGNATURE, SECRET = "4dabf18193072939515e22adb298388d", "1b47061264138c4ac30d75fd1eb44270"
"""How Pulumi marks a secret on its wire."""


@dataclass(frozen=True)
class Registered:
    """One request.

    Attributes:
        inputs: as the engine gets them; secrets are their value, and their keys are in `secrets`.
        after: names of the resources that it depends on.
    """

    type: str
    name: str
    parent: str
    inputs: dict[str, Any]
    secrets: tuple[str, ...]
    after: tuple[str, ...]
    aliases: tuple[str, ...]
    request: Any = field(repr=False, compare=False)


@dataclass
class Recording:
    registered: list[Registered]
    errors: list[str]
    warnings: list[str]
    outputs: dict[str, Any]
    """Of components, by name."""
    exports: dict[str, Any]
    """Of the program."""
    failure: Exception | None = None

    @property
    def objects(self) -> list[Registered]:
        """Kubernetes objects, without releases and providers."""
        return [one for one in self.registered if one.type.startswith("kubernetes:") and one.type != RELEASE]

    @property
    def releases(self) -> list[Registered]:
        return [one for one in self.registered if one.type == RELEASE]

    def named(self, name: str) -> Registered:
        (found,) = (one for one in self.registered if one.name == name)
        return found


RELEASE = "kubernetes:helm.sh/v3:Release"


class _NoMocks(mocks.Mocks):
    """Nothing of a compiled program asks a provider."""

    def new_resource(self, args):
        raise AssertionError(f"{args.typ} was not recorded")

    def call(self, args):
        raise AssertionError(f"the program called {args.token}")


class Monitor(mocks.MockMonitor):
    """Answers each request with its own inputs, as a preview does where nothing is computed."""

    def __init__(self) -> None:
        super().__init__(_NoMocks())
        self.registered: list[Registered] = []
        self.outputs: dict[str, Any] = {}

    def RegisterResource(self, request):
        urn = self.make_urn(request.parent, request.type, request.name)
        if request.type == "pulumi:pulumi:Stack":
            return resource_pb2.RegisterResourceResponse(urn=urn)
        assert urn not in self.resources, f"two resources are {urn}"
        self.resources[urn] = mocks.MockMonitor.ResourceRegistration(urn, request.name, {})
        secrets = tuple(key for key, value in request.object.fields.items() if SIGNATURE in value.struct_value.fields)
        one = Registered(
            type=request.type,
            name=request.name,
            parent=request.parent.split("::")[-1],
            inputs={key: python(value) for key, value in request.object.fields.items()},
            secrets=tuple(sorted(secrets)),
            after=tuple(sorted(dependency.split("::")[-1] for dependency in request.dependencies)),
            aliases=tuple(alias.spec.type for alias in request.aliases),
            request=request,
        )
        self.registered.append(one)
        return resource_pb2.RegisterResourceResponse(urn=urn, id=request.name if request.custom else "", object=request.object)

    def RegisterResourceOutputs(self, request):
        self.outputs[request.urn.split("::")[-1]] = python(struct_pb2.Value(struct_value=request.outputs))
        return super().RegisterResourceOutputs(request)


def python(value: struct_pb2.Value) -> Any:
    """Return a value of the wire as Python has it; whole numbers are ints again."""
    match value.WhichOneof("kind"):
        case "struct_value":
            fields = value.struct_value.fields
            if SIGNATURE in fields and fields[SIGNATURE].string_value == SECRET:
                return python(fields["value"])
            return {key: python(item) for key, item in fields.items()}
        case "list_value":
            return [python(item) for item in value.list_value.values]
        case "number_value":
            return int(value.number_value) if value.number_value.is_integer() else value.number_value
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
    return None


class _Said(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record)


def record(program: Callable[[], Any], config: Mapping[str, str] | None = None) -> Recording:
    """Run a program and return what it registered; an exception that ends it is part of the answer."""
    monitor, said = Monitor(), _Said()
    exports: dict[str, Any] = {}
    logger = logging.Logger("program", logging.INFO)
    logger.addHandler(said)
    # A program that fails leaves futures that nobody awaits; the failure is in the answer, asyncio need not tell it.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)

    async def main() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        pulumi.runtime.set_mocks(_NoMocks(), project="fourleaf", stack="test", preview=True, logger=logger, monitor=monitor)
        pulumi.runtime.set_all_config(dict(config or {}))
        await run_pulumi_func(program)
        root = pulumi.runtime.get_root_resource()
        assert isinstance(root, Stack)
        exports.update(await pulumi.Output.from_input(root.outputs).future() or {})

    failure = None
    try:
        contextvars.copy_context().run(asyncio.run, main())
    except Exception as error:
        failure = error
    lines = [(line.levelno, line.getMessage()) for line in said.lines]
    return Recording(
        registered=monitor.registered,
        errors=[text for level, text in lines if level == logging.ERROR],
        warnings=[text for level, text in lines if level == logging.WARNING],
        outputs=monitor.outputs,
        exports=exports,
        failure=failure,
    )
