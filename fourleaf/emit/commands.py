"""The commands that a README shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from shlex import quote

from fourleaf.emit.order import Folder
from fourleaf.ir import Chart


def helm(chart: Chart, values: str) -> str:
    """Return the command that installs a chart, or brings it to what the set says.

    Without --wait: charts whose own jobs wait for something of theirs would wait for ever; `waits` of the record follow instead.
    """
    if chart.repository.startswith("oci://"):
        source = [quote(f"{chart.repository}/{chart.name}")]
    else:
        source = [quote(chart.name), "--repo", quote(chart.repository)]
    words = ["helm upgrade --install", quote(chart.release), *source]
    words += ["--version", quote(chart.version), "--namespace", quote(chart.namespace), "--values", quote(values)]
    words += [] if chart.definitions else ["--skip-crds"]
    return " ".join(words)


def fenced(lines: Iterable[str], language: str = "sh") -> str:
    """Return a block of code in Markdown."""
    text = "\n".join(lines)
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}\n"


def counted(number: int, word: str) -> str:
    """Return "1 object", "2 objects"."""
    return f"{number} {word}" + ("" if number == 1 else "s")


def by_hand(folders: Sequence[Folder], apply: str) -> str:
    """Return the steps of a route on which a person applies folder after folder.

    Args:
        apply: the command, to be followed by a folder's name.
    """
    steps = []
    for number, folder in enumerate(folders, 1):
        commands = [f"{apply} {folder.name}"] if folder.objects else []
        for name, _, chart in folder.charts:
            commands += [helm(chart, f"{folder.name}/{name}/values.yaml"), *chart.waits]
        what = counted(len(folder.objects), "object") if folder.objects else counted(len(folder.charts), "chart")
        steps.append(f"{number}. `{folder.name}`: {what}\n\n{fenced(commands)}")
    charts = ", and a chart by `helm uninstall`" if any(folder.charts for folder in folders) else ""
    gone = (
        "What an earlier set had and this one has not stays in the cluster, and may work against it. Delete it by the last text of each "
        f"file that a compile removed (`git show HEAD~1:PATH | kubectl delete -f -`){charts}.\n"
    )
    return "\n".join([*steps, gone])
