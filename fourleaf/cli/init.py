"""`fourleaf init`: a commented spec to start from."""

from __future__ import annotations

import sys
from pathlib import Path

import click

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


@click.command("init")
@click.argument("file", default="cluster.yaml")
@click.option("--name", default="", help="Name of the cluster; by default that of the folder.")
def command(file: str, name: str) -> None:
    """Write a commented spec to FILE (cluster.yaml by default; "-": standard output), and the schema that editors read beside it."""
    from fourleaf.data import schema_text
    from fourleaf.kube.names import label_fault

    if file == "-":
        click.echo(SPEC.format(name=name or "my-cluster", schema=SCHEMA), nl=False)
        return
    path = Path(file)
    cluster = name or path.resolve().parent.name.lower().replace("_", "-")
    if label_fault(cluster):
        if name:
            click.echo(f"{name} is no name for a cluster: {label_fault(name)}", err=True)
            sys.exit(2)
        cluster = "my-cluster"
    schema = path.parent / SCHEMA
    try:
        with path.open("x", encoding="utf-8") as out:
            out.write(SPEC.format(name=cluster, schema=SCHEMA))
        if not schema.exists():
            schema.write_text(schema_text(SCHEMA), encoding="utf-8")
    except FileExistsError:
        click.echo(f"{file} is there already; nothing was written", err=True)
        sys.exit(1)
    except OSError as error:
        click.echo(f"{file} cannot be written: {(error.strerror or str(error)).lower()}", err=True)
        sys.exit(1)
    click.echo(f"wrote {file}: edit it, then `fourleaf check {file}`")
