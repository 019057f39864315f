"""Processes of the bench: children that take one job a line and answer in one line, and how a job's turns are timed."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from time import perf_counter
from typing import Any

import uvloop

HERE = Path(__file__).parent


class BenchError(Exception):
    """Something did not run; the text says what."""


class Child:
    """A script of this folder as a process of its own: `ask` gives it a job and waits for the answer."""

    def __init__(self, script: str, *arguments: str) -> None:
        self._name = script
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, kind: str, **job: Any) -> dict[str, Any]:
        """Raises BenchError when the job failed or the process is gone."""
        self._process.stdin.write(json.dumps({"kind": kind, **job}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {"error": "the process ended"}
        if "error" in answer:
            raise BenchError(f"{self._name}, {kind}: {answer['error']}")
        return answer

    def close(self) -> None:
        """End it at once; it holds nothing worth keeping."""
        self._process.kill()
        self._process.wait()
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()


def serve_jobs(jobs: Mapping[str, Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]]) -> None:
    """Do the jobs that come in on standard input, one a line, until it ends."""

    answers = sys.stdout

    async def work() -> None:
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            job = json.loads(line)
            try:
                answer = await jobs[job["kind"]](job)
            except Exception as error:  # noqa: BLE001 - whatever went wrong is reported to the parent, which stops
                answer = {"error": _first(error)}
            print(json.dumps(answer), file=answers, flush=True)

    with redirect_stdout(sys.stderr):  # whatever the application prints is no answer
        uvloop.run(work())


def _first(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


Turn = Callable[[], Awaitable[None]]


async def measured(turns: Sequence[Turn], seconds: float | None) -> dict[str, Any]:
    """Repeat each of `turns` beside the others for `seconds`, or until one raises StopAsyncIteration.

    Gives how many were done, the seconds until the last had ended, and the latencies' quantiles in milliseconds.
    """
    return figures(*await repeated(turns, seconds))


async def repeated(turns: Sequence[Turn], seconds: float | None) -> tuple[list[float], float]:
    """Repeat the turns; return the seconds that each took, and those until the last had ended."""
    begin = perf_counter()
    taken: list[float] = []

    async def repeat(turn: Turn) -> None:
        now = perf_counter()
        while seconds is None or now < begin + seconds:
            try:
                await turn()
            except StopAsyncIteration:
                return
            after = perf_counter()
            taken.append(after - now)
            now = after

    async with asyncio.TaskGroup() as group:
        for turn in turns:
            group.create_task(repeat(turn))
    return taken, perf_counter() - begin


def figures(taken: Sequence[float], seconds: float) -> dict[str, Any]:
    """Figures of turns that took so long each, in seconds, and so long in all."""
    known = sorted(taken)
    return {
        "done": len(known),
        "seconds": seconds,
        "p50": 1000 * known[len(known) // 2],
        "p99": 1000 * known[len(known) * 99 // 100],
    }
