"""`python -m bench.pulumi`: what registering a bundle costs beside the bare SDK, in process, under its mocks.

Bar: 1,000 objects register in at most 1.5 times the time of the SDK's own class for any kind, which adds neither dependencies nor aliases.
"""

from __future__ import annotations

import asyncio
import contextvars
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pulumi
import pulumi_kubernetes as k8s
from fourleaf_components.register import Registration, register
from pulumi.runtime import mocks
from pulumi.runtime.stack import run_pulumi_func

from fourleaf.emit.manifest import manifest
from fourleaf.ir import Bundle, Object, Origin, Ref

BAR = 1.5
COUNT = 1000
ROUNDS = 5
NOWHERE = Origin(())
SPACE = Object(api_version="v1", kind="Namespace", name="n", keep=True, origin=NOWHERE)


class Echo(mocks.Mocks):
    """Every resource is what it was asked to be."""

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[Any, Any]]:
        return args.name, args.inputs

    def call(self, args: mocks.MockCallArgs) -> dict[Any, Any]:
        raise AssertionError(args.token)


def daemon_set(number: int) -> Object:
    labels = {"app": f"d{number}"}
    container = {
        "name": "main",
        "image": "registry.example/none",
        "resources": {"limits": {"memory": "16Mi"}, "requests": {"cpu": "1m", "memory": "4Mi"}},
        "volumeMounts": [{"name": "sockets", "mountPath": "/sockets"}],
    }
    pod = {"containers": [container], "volumes": [{"name": "sockets", "hostPath": {"path": "/sockets", "type": "Directory"}}]}
    body = {"spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}}
    return Object(api_version="apps/v1", kind="DaemonSet", name=f"d{number}", namespace="n", body=body, origin=NOWHERE)


def bundle(count: int) -> Bundle:
    objects = (SPACE, *(daemon_set(number) for number in range(count - 1)))
    edges = tuple((made.ref, Ref("Namespace", "n")) for made in objects[1:])
    return Bundle(objects=objects, charts=(), asks=(), bindings=(), prerequisites=(), edges=edges)


def ours(made: Bundle) -> None:
    register(made, Registration(parent=pulumi.ComponentResource("bench:index:Parent", "it"), name="it"))


def bare(made: Bundle) -> None:
    """The SDK's class for any kind."""
    parent = pulumi.ComponentResource("bench:index:Parent", "it")
    for one in made.objects:
        tree = manifest(one)
        k8s.apiextensions.CustomResource(
            f"it:{one.namespace}/{one.name}",
            api_version=tree["apiVersion"],
            kind=tree["kind"],
            metadata=tree["metadata"],
            spec=tree.get("spec"),
            opts=pulumi.ResourceOptions(parent=parent),
        )


def typed(made: Bundle) -> None:
    """The SDK's class of the kind."""
    parent = pulumi.ComponentResource("bench:index:Parent", "it")
    for one in made.objects[1:]:
        tree = manifest(one)
        opts = pulumi.ResourceOptions(parent=parent)
        k8s.apps.v1.DaemonSet(f"it:{one.namespace}/{one.name}", metadata=tree["metadata"], spec=tree["spec"], opts=opts)


def seconds(program: Callable[[Bundle], None], made: Bundle) -> float:
    async def main() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        pulumi.runtime.set_mocks(Echo(), project="bench", stack="bench")
        await run_pulumi_func(lambda: program(made))

    begun = time.process_time()
    contextvars.copy_context().run(asyncio.run, main())
    return time.process_time() - begun


def main() -> int:
    made, small = bundle(COUNT), bundle(10)
    programs = (ours, bare, typed)
    for program in programs:
        seconds(program, small)
    found = {program.__name__: [seconds(program, made)] for program in programs}
    for _ in range(ROUNDS - 1):
        for program in programs:
            found[program.__name__].append(seconds(program, made))
    times = {name: statistics.median(rounds) for name, rounds in found.items()}
    for name, text in (("ours", "a bundle's objects"), ("bare", "the SDK, any kind"), ("typed", "the SDK, typed")):
        print(f"{COUNT} objects, {text:20} {times[name] * 1000:7.0f} ms  {times[name] / times['bare']:5.2f} times")
    print(f"bar: {BAR} times the SDK's class for any kind")
    return int(times["ours"] > BAR * times["bare"])


if __name__ == "__main__":
    sys.exit(main())
