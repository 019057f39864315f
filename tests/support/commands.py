"""`ledgerkit ...` as an operator types it: a process of its own, on a data directory of its own."""

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from support.processes import Forked, ended


class Ended(NamedTuple):
    code: int
    out: str
    err: str


async def ledgerkit(directory: Path, *words: str, **settings: str) -> Ended:
    """The end of a command and its output; `settings` without their prefix."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("LEDGERKIT_", "PG"))}
    given = {"DATA_DIR": str(directory), **settings}
    environment = inherited | {f"LEDGERKIT_{name}": value for name, value in given.items()}
    with tempfile.TemporaryDirectory() as outputs:
        out, err = Path(outputs) / "out", Path(outputs) / "err"
        code = await ended(Forked(words, environment, directory.parent, out, err))
        return Ended(code, out.read_text(), err.read_text())
