"""`ledgerkit ...` as an operator types it: a process of its own, on a data directory of its own."""

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Ended:
    code: int
    out: str
    err: str


async def ledgerkit(directory: Path, *words: str, **settings: str) -> Ended:
    """How a command ended, and what it said; `settings` without their prefix."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LEDGERKIT_", "PG"))}
    given = {"DATA_DIR": str(directory), **settings}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ledgerkit.cli", *words),
        env=inherited | {f"LEDGERKIT_{name}": value for name, value in given.items()},
        cwd=directory.parent,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return Ended(process.returncode or 0, out.decode(), err.decode())
