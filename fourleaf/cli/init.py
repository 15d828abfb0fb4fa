"""`fourleaf init`: a commented spec to start from."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from fourleaf.cli.stream import put

SPEC = """\
# yaml-language-server: $schema={schema}
#
# One cluster. Everything that is not here has a default; `fourleaf schema` has every field, with its meaning.
apiVersion: fourleaf.dev/v1
kind: Cluster
metadata:
  name: {name}
spec:
  kubernetes:
    version: "1.35"            # in quotes: without them YAML reads a number
    distribution: kubeadm      # `fourleaf list distributions`

  pools:                       # nodes that are alike
    - name: gpu
      nodes: [node-1]          # as `kubectl get nodes` shows them; or `count: 8` where the names are not known
      os: ubuntu-24.04         # `fourleaf list hosts`
      gpus:                    # of each node
        - {{card: rtx-4090, count: 1}}   # `fourleaf list cards`
      # taints:                # that the nodes carry already; what runs there will tolerate them
      #   - {{key: nvidia.com/gpu, value: present, effect: NoSchedule}}
      # partition: {{timeSlicing: {{replicas: 4}}}}   # or {{mig: {{profile: 1g.10gb}}}}, on cards that have MIG

  workloads:                   # what asks for GPUs
    - name: notebook
      namespace: lab
      gpu: {{vendor: nvidia, count: 1}}

  # tenants:                   # who shares the cluster by quota
  #   - name: vision
  #     quota: {{guaranteed: {{gpu: 1}}, limit: {{gpu: 1}}}}

  # delivery:
  #   target: argocd           # or kustomize (the default), plain
  #   argocd: {{repoURL: "https://git.example.org/infra.git", path: clusters/{name}}}
"""

SCHEMA = "cluster.v1.schema.json"
STDOUT = "-"


@click.command("init")
@click.argument("file", default="cluster.yaml", type=click.Path(allow_dash=True, readable=False))
@click.option("--name", default="", help="Name of the cluster; by default that of the folder.")
def command(file: str, name: str) -> None:
    """Write a commented spec to FILE (cluster.yaml by default; "-": standard output), and the schema that editors read beside it."""
    from fourleaf.kube.names import label_fault

    if name and (fault := label_fault(name)):
        raise click.UsageError(f"{name} is no name for a cluster: {fault}")
    path = Path(file)
    if not name and file != STDOUT:
        name = Path(os.path.realpath(path)).parent.name.lower().replace("_", "-")
    text = SPEC.format(name="my-cluster" if label_fault(name) else name, schema=SCHEMA)
    if file == STDOUT:
        put(text.rstrip("\n"))
        return
    fault = _write(path, text)
    if fault:
        click.echo(f"{file} {fault}", err=True)
        sys.exit(1)
    put(f"wrote {file}: edit it, then `fourleaf check {file}`")


def _write(path: Path, text: str) -> str:
    """Write the spec, and the schema where there is none beside it; return why not, as a clause."""
    from fourleaf.data import schema_text

    schema = path.parent / SCHEMA
    try:
        with path.open("x", encoding="utf-8") as out:
            out.write(text)
        if not schema.exists():
            schema.write_text(schema_text(SCHEMA), encoding="utf-8")
    except FileExistsError:
        return "is there already; nothing was written"
    except (OSError, ValueError) as error:
        return f"cannot be written: {(getattr(error, 'strerror', None) or str(error)).lower()}"
    return ""
