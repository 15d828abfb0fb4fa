#!/usr/bin/env python3
"""Runs a Pulumi program for the language host: `pulumi-language-python-exec --monitor=HOST:PORT ... -- PROGRAM [ARGUMENT]...`.

It runs under the project's interpreter, which needs the SDK and nothing else. Exit codes: 0, 1 after an error that the host is to
report, 32 after one that the user has been shown, 130 after an interrupt.
"""

# ruff: noqa: E402  (signals first: an interrupt during the imports gets no traceback)

from __future__ import annotations

import os
import signal
import sys

INTERRUPTED = 130
SIGNALS = (signal.SIGINT, signal.SIGTERM)
for number in SIGNALS:
    signal.signal(number, lambda *_: os._exit(INTERRUPTED))

import argparse
import asyncio
import logging
import runpy
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType

SHOWN = 32


def arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ("monitor", "engine", "project", "stack", "organization", "root-directory", "dry-run"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("program")
    parser.add_argument("rest", nargs="*")
    return parser.parse_args(words)


def trace(error: BaseException, program: Path) -> str:
    """Return the traceback of an error, from the first line of the user's program on."""
    frames = traceback.extract_tb(error.__traceback__)
    mine = {program, program / "__main__.py"}
    start = next((index for index, frame in enumerate(frames) if Path(frame.filename).resolve() in mine), 0)
    return "".join(traceback.format_exception(type(error), error, error.__traceback__, limit=start - len(frames) if frames else None))


def run(asked: argparse.Namespace) -> int:
    """Run the program against the engine; return the exit code."""
    import pulumi
    from pulumi import runtime

    runtime.set_all_config(runtime.get_config_env(), runtime.get_config_secret_keys_env())
    runtime.configure(
        runtime.Settings(
            project=asked.project,
            stack=asked.stack,
            organization=asked.organization,
            root_directory=asked.root_directory,
            monitor=asked.monitor,
            engine=asked.engine,
            parallel=asked.parallel,
            dry_run=asked.dry_run == "true",
        )
    )
    sys.argv = [asked.program, *asked.rest]
    program = Path(asked.program).resolve()
    if program.is_dir() and not (program / "__main__.py").is_file():
        pulumi.log.error(f"there is no __main__.py in {program}")
        return SHOWN
    # A program that fails leaves futures that nobody awaits; the engine has said why, asyncio need not.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    workers = ThreadPoolExecutor(max(asked.parallel, 1) * 4)
    loop.set_default_executor(workers)
    try:
        loop.run_until_complete(runtime.run_in_stack(lambda: _only_effects(asked.program)))
    except pulumi.RunError as error:
        pulumi.log.error(str(error))
        return 1
    except Exception as error:
        pulumi.log.error(f"Program failed with an unhandled exception:\n{trace(error, program)}")
        return SHOWN
    workers.shutdown(wait=True)
    loop.close()
    return 0


def _only_effects(program: str) -> None:
    runpy.run_path(program, run_name="__main__")


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    try:
        for number in SIGNALS:
            signal.signal(number, _interrupt)  # the program's own `finally` clauses run
        code = run(arguments(sys.argv[1:]))
    except KeyboardInterrupt:
        code = INTERRUPTED
    except ModuleNotFoundError as error:
        if error.name not in ("pulumi", "grpc"):
            raise
        print(f"{sys.executable} has no package {error.name}; run: pulumi install", file=sys.stderr)  # noqa: T201
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # threads that still wait for the engine are not waited for


if __name__ == "__main__":
    main()
