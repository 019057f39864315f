"""`ledgerkit sandbox`: the stand-in for the tax agency, as a process of its own."""

from pathlib import Path
from typing import Annotated

import typer

from ledgerkit.commands.configuring import configured
from ledgerkit.commands.running import run
from ledgerkit.providers.es.sandbox import serve_forever
from ledgerkit.telemetry import logs


def sandbox(
    directory: Annotated[Path, typer.Option(help="Where its state and certificates lie")] = Path("data/sandbox/es"),
    host: Annotated[str, typer.Option(help="Address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="TCP port, 0 for a free one")] = 9443,
) -> None:
    """Run the sandbox tax authority by itself.

    `serve` runs one inside while LEDGERKIT_EINVOICE_ENV=sandbox.
    """
    logs.configure(configured())
    run(serve_forever(directory, host, port))
