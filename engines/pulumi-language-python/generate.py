#!/usr/bin/env python3
"""Writes the Python SDK of a package of components: `pulumi-language-python-generate FOLDER < SCHEMA`.

The names follow those of Pulumi's own generator, which it was not run against: package `<namespace>_<name>`, or `pulumi_<name>`
without a namespace; a class a component, with keyword arguments in snake_case; `<Type>Args` for what goes in, in whose place
a mapping with the same snake_case keys may stand; `<Type>` for what comes out. Custom resources, functions, configuration, enums and
types of other packages are refused, not left out.

The schema is https://github.com/pulumi/pulumi/blob/v3.274.1/pkg/codegen/schema/pulumi.json. It needs no package.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

Schema = Mapping[str, Any]
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
UNSERVED = ("functions", "config", "parameterization", "extensionParameterization")
TYPE = "#/types/"
HEAD = '''\
"""{about}

Generated from the schema of {name} {version}; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import pulumi

_VERSION = "{version}"
_SERVER = {server!r}
'''
INPUT = """

@pulumi.input_type
class {name}:
{about}
{attributes}
    def __init__(
        self,
{parameters}    ) -> None:
        given: Mapping[str, Any] = {{{given}}}
        for name, value in given.items():
            if value is not None:
                pulumi.set(self, name, value)
"""
COMPONENT = """

class {name}(pulumi.ComponentResource):
{about}
{attributes}
    def __init__(
        self,
        resource_name: str,
        opts: Optional[pulumi.ResourceOptions] = None,
{parameters}    ) -> None:
        props: Any = {name}Args({given})
        for output in {outputs}:
            props.__dict__.setdefault(output, None)
        mine = pulumi.ResourceOptions(version=_VERSION, plugin_download_url=_SERVER)
        super().__init__("{token}", resource_name, props, pulumi.ResourceOptions.merge(mine, opts), remote=True)
"""
PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{module}"
version = "{number}"
description = "Pulumi SDK of {name}, generated from its schema"
requires-python = ">=3.9"
dependencies = ["pulumi>=3.165.0,<4"]

[tool.hatch.build]
ignore-vcs = true # the folder is generated, projects may keep it out of their repository
packages = ["{module}"]
"""


class UnservedError(Exception):
    """The schema has something that this generator does not write; the text says what."""


def snake(name: str) -> str:
    """Return a property's name as Python has it: `migConfig` is mig_config, `class` is class_."""
    word = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    return f"{word}_" if keyword.iskeyword(word) else word


def module_of(schema: Schema) -> str:
    """Return the name of the Python package."""
    return f"{schema.get('namespace') or 'pulumi'}_{schema['name']}".replace("-", "_")


def number_of(version: str) -> str:
    """Return a version as Python packages have it: 0.0.0-x8dbf, which the engine makes of a commit, is 0.0.0+x8dbf."""
    release, *rest = re.split("[-+]", version, maxsplit=1)
    return "+".join([release, *(re.sub("[^A-Za-z0-9.]", ".", part) for part in rest)])


def named(reference: str) -> str | None:
    """Return the token of a type of this package; None for any value."""
    if reference == "pulumi.json#/Any":
        return None
    if not reference.startswith(TYPE):
        raise UnservedError(f"a reference to {reference}")
    return unquote(reference.removeprefix(TYPE))


def hint(about: Schema, *, given: bool, accepted: bool = False) -> str:
    """Return the type of a property.

    Args:
        given: it goes in.
        accepted: write what a caller may give, not what the SDK translates by: mappings stand for types too.
    """
    if "$ref" in about:
        token = named(about["$ref"])
        own = token.split(":")[-1] + ("Args" if given else "") if token else "Any"
        kind = f"Union[{own}, Mapping[str, Any]]" if token and accepted else own
    elif about.get("type") == "array":
        kind = f"Sequence[{hint(about['items'], given=given, accepted=accepted)}]"
    elif about.get("type") == "object":
        held = about.get("additionalProperties", {"type": "string"})
        kind = f"Mapping[str, {hint(held, given=given, accepted=accepted)}]"
    elif about.get("type") in PLAIN:
        kind = PLAIN[about["type"]]
    else:
        raise UnservedError(f"a property of type {about.get('type', json.dumps(about))}")
    return f"pulumi.Input[{kind}]" if given and not about.get("plain") else kind


def tokens(fields: Mapping[str, Schema], types: Mapping[str, Schema], found: dict[str, None]) -> None:
    """Put the types that properties lead to into `found`, in the order of their first use."""
    for about in fields.values():
        while "items" in about or "additionalProperties" in about:
            about = about.get("items") or about["additionalProperties"]
        token = named(about["$ref"]) if "$ref" in about else None
        if token and token not in found:
            if types[token].get("type") != "object":
                raise UnservedError(f"the type {token}, which is no object")
            found[token] = None
            tokens(types[token]["properties"], types, found)


def docstring(text: str) -> str:
    """Return a description as a docstring inside a class, with its line's end; empty for none."""
    quoted = text.strip().replace("\\", "\\\\").replace('"""', '\\"""')
    return f'    """{quoted}{" " * quoted.endswith(chr(34))}"""\n'.replace("\n", "\n    ").rstrip(" ") if text else ""


def parameters(fields: Mapping[str, Schema], required: Sequence[str]) -> str:
    """Return the keyword parameters of an `__init__`, those that are required first."""
    kinds = {name: hint(fields[name], given=True, accepted=True) for name in sorted(fields, key=lambda name: name not in required)}
    lines = [f"{snake(name)}: {kind}" if name in required else f"{snake(name)}: Optional[{kind}] = None" for name, kind in kinds.items()]
    return "".join(f"        {line},\n" for line in ["*", *lines]) if lines else ""


def attributes(fields: Mapping[str, Schema], required: Sequence[str], frame: str, *, given: bool) -> str:
    """Return the properties of a class by which the SDK translates names; `frame` is what is around each type."""
    text = ""
    for name, about in fields.items():
        kind = hint(about, given=given)
        framed = frame.format(kind if name in required else f"Optional[{kind}]")
        text += f'    {snake(name)}: {framed} = pulumi.property("{name}")\n' + docstring(about.get("description", ""))
    return text


def input_class(name: str, description: str, fields: Mapping[str, Schema], required: Sequence[str]) -> str:
    return INPUT.format(
        name=name,
        about=docstring(description or name),
        attributes=attributes(fields, required, "{}", given=True),
        parameters=parameters(fields, required),
        given=", ".join(f'"{word}": {word}' for word in map(snake, fields)),
    )


def output_class(name: str, about: Schema) -> str:
    body = attributes(about["properties"], about.get("required", ()), "{}", given=False)
    return f"\n\n@pulumi.output_type\nclass {name}(dict[str, Any]):\n{docstring(about.get('description', name))}\n{body}"


def component_class(token: str, about: Schema) -> str:
    name = token.split(":")[-1]
    fields, required, outputs = about.get("inputProperties", {}), about.get("requiredInputs", ()), about.get("properties", {})
    return input_class(f"{name}Args", f"What {name} takes.", fields, required) + COMPONENT.format(
        name=name,
        token=token,
        about=docstring(about.get("description", name)),
        attributes=attributes(outputs, about.get("required", ()), "pulumi.Output[{}]", given=False),
        parameters=parameters(fields, required),
        given=", ".join(f"{word}={word}" for word in map(snake, fields)),
        outputs=[snake(field) for field in outputs],
    )


def sdk(schema: Schema) -> Mapping[str, str]:
    """Return the files of the SDK, by path."""
    for section in UNSERVED:
        if schema.get(section):
            raise UnservedError(section)
    if schema.get("provider", {}).get("inputProperties"):
        raise UnservedError("a provider with arguments")
    resources, types = schema.get("resources", {}), schema.get("types", {})
    inward: dict[str, None] = {}
    outward: dict[str, None] = {}
    for token, about in resources.items():
        if not about.get("isComponent"):
            raise UnservedError(f"the custom resource {token}")
        tokens(about.get("inputProperties", {}), types, inward)
        tokens(about.get("properties", {}), types, outward)
    module, server = module_of(schema), schema.get("pluginDownloadURL") or None
    number = number_of(schema["version"])
    words = {"name": schema["name"], "version": schema["version"], "number": number, "module": module, "server": server}
    text = HEAD.format(about=schema.get("description") or f"Components of {schema['name']}.", **words)
    for token in inward:
        about = types[token]
        text += input_class(f"{token.split(':')[-1]}Args", about.get("description", ""), about["properties"], about.get("required", ()))
    text += "".join(output_class(token.split(":")[-1], types[token]) for token in outward)
    text += "".join(component_class(token, about) for token, about in resources.items())
    plugin = {"resource": True, "name": schema["name"], "version": schema["version"], **({"server": server} if server else {})}
    return {
        "pyproject.toml": PROJECT.format(**words),
        f"{module}/__init__.py": text,
        f"{module}/py.typed": "",
        f"{module}/pulumi-plugin.json": json.dumps(plugin, indent=2) + "\n",
    }


def main(folder: Path) -> int:
    """Write the SDK. Exit code 1: the schema has what is not served."""
    schema = json.load(sys.stdin)
    try:
        files = sdk(schema)
    except UnservedError as refusal:
        sys.stderr.write(f"this language host writes SDKs of components alone; {schema['name']} has {refusal}\n")
        return 1
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
