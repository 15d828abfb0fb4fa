"""The components as a plugin: the engine starts this process and asks it to construct them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pulumi
from pulumi.errors import InputPropertiesError, InputPropertyErrorDetails
from pulumi.provider import ConstructResult, main
from pulumi.provider.experimental.component import ComponentProvider

# Not that of pulumi.provider.experimental.server, which bears the same name and is raised by nothing.
from pulumi.provider.server import ComponentInitError

import fourleaf
from fourleaf_components import COMPONENTS, component
from fourleaf_components.fragment import camel

if TYPE_CHECKING:
    from pulumi.output import Inputs


class Provider(ComponentProvider):
    """Answers with what is wrong with arguments by property, and without a traceback of ours."""

    def construct(self, name: str, resource_type: str, inputs: Inputs, options: pulumi.ResourceOptions | None = None) -> ConstructResult:
        try:
            return super().construct(name, resource_type, inputs, options)
        except ComponentInitError as error:
            wrong = error.inner
            if not isinstance(wrong, component.ArgumentsError):
                raise
            errors = [InputPropertyErrorDetails(property_path=_path(name, path), reason=text) for path, text in wrong.findings]
            raise InputPropertiesError(str(wrong), errors) from None


def _path(name: str, path: str) -> str:
    """Return the path of a property as programs in other languages write it."""
    return camel(path.removeprefix(name).lstrip("."))


def provider() -> Provider:
    """Return the provider of all components."""
    return Provider([*COMPONENTS], name=component.PACKAGE, namespace=component.PACKAGE, version=fourleaf.__version__)


def serve() -> None:
    """Serve the engine until it ends this process."""
    component.HOSTED = True
    main(provider(), sys.argv[1:])
