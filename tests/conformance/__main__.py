"""Run the tools against a server of their own and print a table; exit code 1 on a failure that is not expected."""

import asyncio
import sys
import tempfile
from pathlib import Path

from conformance import clients, official_suite
from conformance.node_tools import NodeTools
from conformance.results import expectations, report
from conformance.site import site


async def main() -> int:
    with tempfile.TemporaryDirectory(prefix="ledgerkit-conformance-") as name:
        directory = Path(name)
        tools = NodeTools(directory / "home")
        async with site(directory) as running:
            results = [
                *await official_suite.authorization(running, tools, directory / "results"),
                *await official_suite.server(running, tools, directory / "results"),
                *await clients.inspector(running, tools),
                *await clients.sign_ins(running, tools),
            ]
    text, as_expected = report(results, expectations())
    print(text)  # noqa: T201 - the table is its purpose
    return 0 if as_expected else 1


sys.exit(asyncio.run(main()))
