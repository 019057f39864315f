"""Objects that a server's start has loaded: no later search for unreachable objects looks at them."""

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from support.serving import served


def at_its_end(
    words: Sequence[str], environment: Mapping[str, str], directory: Path, out: Path, err: Path
) -> subprocess.Popen[bytes]:
    """The command as a program that says, when it ends, how many objects no search looks at."""
    program = f"""
import atexit, gc, sys
from ledgerkit.cli import main
sys.argv = ["ledgerkit", *{list(words)!r}]
atexit.register(lambda: print("frozen", gc.get_freeze_count(), "of", gc.get_freeze_count() + len(gc.get_objects())))
main()
"""
    with out.open("ab") as stdout, err.open("ab") as stderr:
        command = [sys.executable, "-P", "-c", program]
        return subprocess.Popen(command, env=environment, cwd=directory, stdout=stdout, stderr=stderr)


@pytest.mark.whole
async def test_no_search_of_a_server_looks_at_what_its_start_has_loaded(tmp_path, fresh_urls):
    async with served(tmp_path / "data", at_its_end, DATABASE_URL=fresh_urls.owner) as server:
        await server.stop()

    [(frozen, all_objects)] = re.findall(r"^frozen (\d+) of (\d+)$", server.said, re.MULTILINE)
    assert int(frozen) > int(all_objects) * 0.8
