"""The protocol's official conformance suite: as an OAuth client of the server, and as an MCP client of it."""

import json
import re
from pathlib import Path

from conformance.node_tools import SUITE, NodeTools
from conformance.results import Result
from conformance.site import HOST, Site, with_key
from support.ports import free_port

REVISIONS = ("2025-11-25", "2026-07-28")


async def authorization(site: Site, tools: NodeTools, directory: Path) -> list[Result]:
    """Run the suite for authorization servers; a scripted browser logs in and consents."""
    port = free_port()
    client_id = await site.registered_client(f"http://{HOST}:{port}/callback")
    of_client = ["--client-id", client_id, "--resource", site.endpoint, "--port", str(port)]
    output = directory / "authorization"
    finished = await tools.run(
        SUITE, "authorization", "--url", site.url, *of_client, "--output-dir", str(output), visit=site.let_in
    )
    return [Result("conformance authorization", "exit code 0", _failure(finished.code)), *_checks(output)]


async def server(site: Site, tools: NodeTools, directory: Path) -> list[Result]:
    """Run all server scenarios of two revisions, those that need the suite's example tools included."""
    results = []
    async with with_key(site) as url:
        for revision in REVISIONS:
            output = directory / revision
            arguments = ["--url", url, "--requirements", revision, "--output-dir", str(output)]
            await tools.run(SUITE, "server", *arguments, seconds=300)
            results += _checks(output, f" {revision}")
    return results


def _checks(output: Path, suffix: str = "") -> list[Result]:
    """Results that the suite has stored, one folder a scenario. Raises AssertionError when there are none."""
    results = []
    for folder in sorted(output.iterdir()):
        scenario = re.sub(r"^(server|authorization)-(?=.*\d{4}-)|-\d{4}-\d\d-\d\dT.*$", "", folder.name)
        for check in json.loads((folder / "checks.json").read_text()):
            problem = check.get("errorMessage") or check["description"]
            failed = check["status"] in {"FAILURE", "WARNING"}
            name = f"{scenario}: {check['id']}"
            if failed or check["status"] == "SUCCESS":
                results.append(Result(f"conformance {output.name}", name, problem if failed else None))
    assert results, f"the suite has stored no results in {output}"
    return results


def _failure(code: int) -> str | None:
    return f"exit code {code}" if code else None
