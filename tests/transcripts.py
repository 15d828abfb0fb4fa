"""Transcripts of sessions: `$ command`, then what it prints, then `[code]` where its exit code is not 0."""

from __future__ import annotations

import re
from pathlib import Path

from command import run

_FENCE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(transcript: str) -> list[str]:
    """Return the commands of a transcript; one that goes on over several lines has `> ` before each but the first."""
    found: list[str] = []
    for line in transcript.splitlines():
        if line.startswith("$ "):
            found.append(line[2:])
        elif line.startswith("> ") and found:
            found[-1] += f"\n{line[2:]}"
    return found


def replay(transcript: str, folder: Path) -> str:
    """Run the commands of a transcript in a folder, one after the other, and return the transcript of now."""
    return "\n".join(_step(command, folder) for command in commands(transcript))


def _step(command: str, folder: Path) -> str:
    ended = run(["bash", "-c", f"exec 2>&1\n{command}"], cwd=folder)
    shown = command.replace("\n", "\n> ")
    code = f"[{ended.code}]\n" if ended.code else ""
    said = ended.out.replace(str(folder.resolve()), "/home/lab").replace(str(folder), "/home/lab")
    out = said if said.endswith("\n") or not said else said + "\n"
    return f"$ {shown}\n{out}{code}"


def replay_page(page: str, folder: Path) -> str:
    """Run the transcripts in a page of Markdown, in its `console` blocks, as one session; return the page of now."""
    return _FENCE.sub(lambda block: f"```console\n{replay(block[1], folder)}```", page)
