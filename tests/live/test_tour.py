"""docs/tour.md, pasted block after block, as a new user does."""

import asyncio
import re
from pathlib import Path

from support.interface import not_built, rows
from support.serving import served

TOUR = (Path(__file__).parents[2] / "docs" / "tour.md").read_text()
BLOCKS = re.findall(r"```bash tour\n(.*?)```", TOUR, re.DOTALL)

ELSEWHERE = {
    "POST /auth/login",
    "GET /api/invoices/{id}",
    "GET /api/invoices/{id}/pdf",
    "DELETE /api/clients/{id}",
    "DELETE /api/catalog/{id}",
    "POST /api/catalog/confirm-import",
    "DELETE /api/context/entry/{key}",
    "DELETE /api/expenses/{id}",
    "DELETE /api/vendors/{id}",
    "GET /api/tasks/{id}",
    "PUT /api/tasks/{id}",
    "POST /api/teams/switch/{teamId}",
    "DELETE /api/teams/current/members/{memberId}",
}
"""Rows that the page leaves out: the README's own, and the reading and deleting that looks like its neighbours'."""


async def test_the_tour_can_be_walked_from_beginning_to_end(tmp_path):
    script = "\n".join(["set -euo pipefail", *BLOCKS])

    async with served(tmp_path / "data") as server:
        environment = {"LEDGERKIT_URL": server.url, "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)}
        shell = await asyncio.create_subprocess_exec(
            *("bash", "-xc", script),
            cwd=tmp_path,
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        told, _ = await shell.communicate()

    assert shell.returncode == 0, told.decode()[-3000:]
    assert (tmp_path / "einvoice.pdf").read_bytes().startswith(b"%PDF-")


def test_the_tour_passes_by_every_row():
    calls = re.findall(r'call (GET|POST|PUT|PATCH|DELETE) "?([^\s"?]+)', "\n".join(BLOCKS))
    calls += [("POST", "/auth/register")]
    passed = {(method, re.sub(r"\$\w+", "{}", path)) for method, path in calls}

    left_out = {
        row.name for row in rows() if (row.method, re.sub(r"{\w+}", "{}", row.path)) not in passed
    } - not_built()

    assert left_out == ELSEWHERE - not_built()
