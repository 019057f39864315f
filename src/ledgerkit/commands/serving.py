"""`ledgerkit serve` and `ledgerkit worker`."""

import asyncio
import signal
from typing import Annotated

import typer
import uvicorn

from ledgerkit import __version__
from ledgerkit.app import create_app
from ledgerkit.commands.configuring import configured
from ledgerkit.commands.examining import einvoicing
from ledgerkit.commands.language import operators_language, say
from ledgerkit.commands.listening import bound
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.commands.running import run
from ledgerkit.core.platform.event_loop import garbage
from ledgerkit.http_server.connections import Connections, Shares, raise_limit
from ledgerkit.http_server.protocol import bounded
from ledgerkit.mcp_server.chat_assistant import SERVICES
from ledgerkit.providers.api import Environment
from ledgerkit.providers.registry import discover
from ledgerkit.runtime import serving, working
from ledgerkit.settings import Settings
from ledgerkit.telemetry import logs

Host = Annotated[str | None, typer.Option(help="Address to listen on (LEDGERKIT_HOST)")]
Port = Annotated[int | None, typer.Option(min=0, max=65535, help="TCP port (LEDGERKIT_PORT)")]


def serve(host: Host = None, port: Port = None) -> None:
    """Serve the API, /mcp and the documentation.

    PostgreSQL is started too when none is configured.
    """
    overrides = {name: value for name, value in {"host": host, "port": port}.items() if value is not None}
    settings = configured(**overrides)
    logs.configure(settings)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    run(_served(settings))


def worker() -> None:
    """Do the background work apart from `serve`.

    Both need LEDGERKIT_WORKER=apart.
    """
    settings = configured()
    logs.configure(settings)

    async def work() -> None:
        raise_limit()
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        async with working(settings, SERVICES):
            await stop.wait()

    run(work())


def _leave(*_: object) -> None:
    """Exit in order: at a signal before uvicorn handles signals, and at the one that uvicorn passes on at its end."""
    raise SystemExit(0)


async def _served(settings: Settings) -> None:
    """Start PostgreSQL and what depends on it, then the server: a fault of the former is printed in one line."""
    shares = Shares.of(raise_limit(), settings.database_pool)
    connections = Connections(shares.connections, settings.connections_per_address, settings.forwarded_allow_ips)
    bound(settings.host, settings.port, shares.queue).close()
    async with serving(settings, SERVICES) as kernel:
        config = uvicorn.Config(
            create_app(settings, kernel),
            host=settings.host,
            port=settings.port,
            backlog=shares.queue,
            http=bounded(connections),
            ws="none",
            log_config=None,
            access_log=False,
            proxy_headers=bool(settings.forwarded_allow_ips),
            forwarded_allow_ips=settings.forwarded_allow_ips,
            timeout_graceful_shutdown=20,
            server_header=False,
        )
        garbage.freeze()
        with bound(settings.host, settings.port, shares.queue) as listener:
            _banner(settings)
            await uvicorn.Server(config).serve(sockets=[listener])


def _banner(settings: Settings) -> None:
    url, environment = settings.public_url, settings.einvoice_env
    say(CommandsMsg.BANNER, err=True, version=__version__, url=url, environment=environment)
    for finding in einvoicing.before_production(discover(), Environment(environment.value)):
        typer.echo(finding.line(operators_language()), err=True)
