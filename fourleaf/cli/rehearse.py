"""`fourleaf rehearse`: what a real API server and scheduler do with the set, before a cluster meets it."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fourleaf.cli.output import format_option, put_findings
from fourleaf.cli.spec import compiled, spec_argument
from fourleaf.cli.stream import LackingError, put, put_data

if TYPE_CHECKING:
    from fourleaf.ir import Bundle, Plan
    from fourleaf.pipeline import Compilation
    from fourleaf.rehearse.rehearsal import Rehearsal
    from fourleaf.rehearse.tree import Tree

TERMINATED = 143


@click.command("rehearse")
@spec_argument
@click.option("--tree", metavar="DIR", type=click.Path(), help="Take the files of DIR in place of the compiled ones.")
@click.option(
    "--assets",
    metavar="DIR",
    type=click.Path(),
    help="Where etcd, kube-apiserver, kube-scheduler, kube-controller-manager are.",
)
@click.option("--kubeconfig", metavar="FILE", type=click.Path(), help="Use this API server, if it has none but simulated nodes.")
@format_option
def command(spec: str, tree: str | None, assets: str | None, kubeconfig: str | None, form: str) -> None:
    """Apply the set of SPEC ("-": standard input) to a throwaway control plane with the nodes that it describes, run its workloads,
    and compare what the scheduler does with what was predicted.

    Programs are looked for in --assets, else KUBEBUILDER_ASSETS, else where `make engine` puts them, else on PATH.
    """
    from fourleaf.rehearse.predictions import PREDICTIONS

    made = compiled(spec, None, PREDICTIONS)
    if made.plan is None or made.bundle is None or not made.files:
        _barred(made, form)
        sys.exit(1)
    if importlib.util.find_spec("kubernetes") is None:
        raise LackingError("a rehearsal needs the Python package kubernetes: pip install 'fourleaf[rehearse]'")
    # An end by a signal is an end like any other: everything that was started is ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    found = _rehearse(made.plan, made.bundle, _tree(made, tree), assets, kubeconfig)
    _say(found, made, form)
    sys.exit(1 if found.reason else 0)


def _tree(made: Compilation, folder: str | None) -> Tree:
    from fourleaf.rehearse.tree import of_folder, read

    if folder is None:
        return read(made.files)
    if not Path(folder).is_dir():
        raise click.UsageError(f"{folder} is no folder: name one that `fourleaf compile` wrote")
    try:
        return read(of_folder(Path(folder)))
    except OSError as error:
        raise LackingError(f"{error.filename} cannot be read: {(error.strerror or str(error)).lower()}") from error


def _rehearse(plan: Plan, bundle: Bundle, tree: Tree, assets: str | None, kubeconfig: str | None) -> Rehearsal:
    from fourleaf.rehearse import run
    from fourleaf.rehearse.plane import NotReadyError
    from fourleaf.rehearse.processes import ProgramEndedError
    from fourleaf.rehearse.programs import MissingProgramsError, find
    from fourleaf.rehearse.server import UnreachableError

    try:
        if kubeconfig:
            return run.on_given(plan, bundle, tree, Path(kubeconfig))
        folder = assets or os.environ.get("KUBEBUILDER_ASSETS")
        return run.on_own(plan, bundle, tree, find(Path(folder) if folder else None))
    except MissingProgramsError as error:
        rows = [f"  {name}: {source}" for name, source in error.missing.items()]
        looked = ", ".join(map(str, error.looked))
        raise LackingError("\n".join([f"programs are missing ({looked}):", *rows, "`make engine` builds them all"])) from error
    except run.RealNodesError as error:
        more = f" and {error.count - len(error.names)} more" if error.count > len(error.names) else ""
        raise LackingError(f"{kubeconfig} leads to a cluster with real nodes ({error}{more}): rehearse on one that has none") from error
    except UnreachableError as error:
        raise LackingError(f"no API server answers: {error}") from error
    except (NotReadyError, ProgramEndedError) as error:
        raise LackingError(str(error)) from error


def _barred(made: Compilation, form: str) -> None:
    """Say why there is nothing to rehearse."""
    if form == "json":
        from fourleaf.diag.formats import as_json

        put_data({"ok": False, "reason": "spec", **as_json(made.diagnostics)})
    else:
        put_findings(made.diagnostics, made.sources)


def _say(found: Rehearsal, made: Compilation, form: str) -> None:
    from fourleaf.rehearse.report import as_dict, as_text

    if form == "json":
        from fourleaf.diag.formats import as_json

        put_data({**as_dict(found, made.span), **as_json(made.diagnostics)})
        return
    put_findings(made.diagnostics, made.sources)
    put(as_text(found, made.plan.name if made.plan else "", made.span))
