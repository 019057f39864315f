"""Pages of the documents, pasted block after block as their readers do."""

import asyncio
import os
import re
import sys
from pathlib import Path

from support.serving import Server

ROOT = Path(__file__).parents[2]


def blocks(page: str, word: str) -> list[str]:
    """The blocks of a page, named from the repository's root, that are marked as bash and with `word`, in its order."""
    return re.findall(rf"```bash {word}\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


async def pasted(script: list[str], directory: Path, server: Server) -> str:
    """Paste blocks into one shell in `directory`, where the documents are too, and return all that it said.

    Raises AssertionError with the end of that when a command fails.
    """
    (directory / "docs").symlink_to(ROOT / "docs")
    shell = await asyncio.create_subprocess_exec(
        *("bash", "-xc", "\n".join(["set -euo pipefail", *script])),
        cwd=directory,
        env=_environment(directory, server),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await shell.communicate()
    told = said.decode()
    assert shell.returncode == 0, told[-3000:]
    return told


def _environment(directory: Path, server: Server) -> dict[str, str]:
    """A user's own commands first, and then those of this environment: `ledgerkit` among them."""
    path = f"/usr/local/bin:/usr/bin:/bin:{Path(sys.executable).parent}"
    given = {"LEDGERKIT_URL": server.url, "PATH": path, "HOME": str(directory), "LC_ALL": "C.UTF-8"}
    return given | {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
