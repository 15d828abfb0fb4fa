"""The plugin as the engine speaks to it: started from its folder, asked for its schema, told to construct."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from components.programs import CUT, given, pool
from components.recorder import python
from fourleaf_components.fragment import camel
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import (
    engine_pb2_grpc,
    errors_pb2,
    provider_pb2,
    provider_pb2_grpc,
    resource_pb2,
    resource_pb2_grpc,
    status_pb2,
)
from support import ROOT


class Monitor(resource_pb2_grpc.ResourceMonitorServicer):
    """Keeps what is registered, and answers with it."""

    def __init__(self) -> None:
        self.requests: list[Any] = []

    def GetDeploymentInfo(self, request, context):
        return resource_pb2.DeploymentInfo(supportedFeatures=resource_pb2.ResourceMonitorFeature.values())

    def SupportsFeature(self, request, context):
        return resource_pb2.SupportsFeatureResponse(hasSupport=True)

    def RegisterResource(self, request, context):
        self.requests.append(request)
        urn = f"urn:pulumi:dev::consumer::{request.type}::{request.name}"
        return resource_pb2.RegisterResourceResponse(urn=urn, id=request.name if request.custom else "", object=request.object)

    def RegisterResourceOutputs(self, request, context):
        return empty_pb2.Empty()


class Engine(engine_pb2_grpc.EngineServicer):
    """Keeps what is logged."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def Log(self, request, context):
        self.said.append(request.message)
        return empty_pb2.Empty()


@dataclass
class Plugin:
    stub: Any
    monitor: Monitor
    engine: Engine
    address: str

    def construct(self, component: str, name: str, inputs: Any, after: dict[str, str] | None = None) -> Any:
        """Construct a component.

        Args:
            after: input to the URN that it depends on.
        """
        wire = struct_pb2.Struct()
        wire.update(inputs)
        dependencies = {key: provider_pb2.ConstructRequest.PropertyDependencies(urns=[urn]) for key, urn in (after or {}).items()}
        return self.stub.Construct(
            provider_pb2.ConstructRequest(
                project="consumer",
                stack="dev",
                monitorEndpoint=self.address,
                type=f"fourleaf:index:{component}",
                name=name,
                inputs=wire,
                inputDependencies=dependencies,
                parallel=4,
            )
        )


@pytest.fixture(scope="module")
def running() -> Iterator[Plugin]:
    server = grpc.server(ThreadPoolExecutor(4))
    monitor, engine = Monitor(), Engine()
    resource_pb2_grpc.add_ResourceMonitorServicer_to_server(monitor, server)
    engine_pb2_grpc.add_EngineServicer_to_server(engine, server)
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    process = subprocess.Popen([sys.executable, ROOT / "components", address], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        channel = grpc.insecure_channel(f"127.0.0.1:{int(process.stdout.readline())}")
        yield Plugin(provider_pb2_grpc.ResourceProviderStub(channel), monitor, engine, address)
        channel.close()
    finally:
        process.terminate()
        process.communicate(timeout=10)
        server.stop(None)


@pytest.fixture
def plugin(running: Plugin) -> Plugin:
    running.monitor.requests.clear()
    running.engine.said.clear()
    return running


def spelt(value: Any) -> Any:
    """Return arguments as a program in another language writes them, numbers without a type."""
    match value:
        case dict():
            return {camel(key): spelt(item) for key, item in value.items()}
        case list():
            return [spelt(item) for item in value]
    return value


def test_it_answers_with_its_schema(plugin: Plugin) -> None:
    schema = json.loads(plugin.stub.GetSchema(provider_pb2.GetSchemaRequest()).schema)

    assert schema["name"] == "fourleaf"
    assert "fourleaf:index:Cluster" in schema["resources"]


def test_it_constructs_a_component_with_its_children(plugin: Plugin) -> None:
    answer = plugin.construct("MigLayout", "layout", spelt(given(CUT)))
    outputs = python(struct_pb2.Value(struct_value=answer.state))
    children = {request.name: request for request in plugin.monitor.requests if request.custom}
    config = f"layout:gpu-operator/{outputs['configName']}"

    assert answer.urn.endswith("fourleaf:index:MigLayout::layout")
    assert set(children) == {"layout:gpu-operator", config}
    assert all(request.parent == answer.urn for request in children.values())
    assert outputs["resources"] == ["nvidia.com/mig-1g.10gb"]
    assert [urn.split("::")[-1] for urn in answer.stateDependencies["configName"].urns] == [config]


def test_what_it_is_given_reaches_the_chart_with_its_dependency(plugin: Plugin) -> None:
    answer = plugin.construct("MigLayout", "layout", spelt(given(CUT)))
    outputs = python(struct_pb2.Value(struct_value=answer.state))
    (urn,) = answer.stateDependencies["configName"].urns
    more = {"migConfig": outputs["configName"], "namespace": outputs["namespace"]}
    plugin.construct("NvidiaOperator", "gpu", {**spelt(given(CUT)), **more}, {"migConfig": urn})
    (release,) = (request for request in plugin.monitor.requests if request.name == "gpu:gpu-operator/gpu-operator")

    assert python(release.object.fields["values"])["migManager"]["config"]["name"] == outputs["configName"]
    assert urn in release.dependencies


def test_mistakes_are_told_by_property_without_a_traceback(plugin: Plugin) -> None:
    wrong = given(pool(driver={"kernel_modules": "opn"}, os="ubuntu-24.5"))
    with pytest.raises(grpc.RpcError) as raised:
        plugin.construct("NvidiaOperator", "gpu", spelt(wrong))
    told = errors_pb2.InputPropertiesError()
    (packed,) = (value for key, value in raised.value.trailing_metadata() if key == "grpc-status-details-bin")
    assert status_pb2.Status.FromString(packed).details[0].Unpack(told)

    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert raised.value.details() == "gpu: 1 error in its arguments"
    (error,) = told.errors
    assert error.property_path == "pools[0].driver.kernelModules"
    assert error.reason.startswith("FL017: kernelModules is opn")
    assert "Traceback" not in error.reason + raised.value.details()
    assert not any("FL017" in line for line in plugin.engine.said)


def test_a_defect_of_ours_is_no_mistake_of_the_users(plugin: Plugin) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        plugin.construct("Nothing", "x", {})

    assert raised.value.code() is grpc.StatusCode.UNKNOWN
