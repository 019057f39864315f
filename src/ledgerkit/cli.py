"""The command line: `ledgerkit serve` and what belongs around it."""

import asyncio
import json
import signal
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
import uvicorn

from ledgerkit import __version__, logs
from ledgerkit.app import create_app
from ledgerkit.commands import keeping as _keeping_commands  # noqa: F401 - adds its commands to the group
from ledgerkit.commands.backups import backup, restore
from ledgerkit.commands.listening import bound
from ledgerkit.commands.running import configured, run
from ledgerkit.commands.verifactu import verifactu
from ledgerkit.core import migrating
from ledgerkit.core.database_setup import prepare
from ledgerkit.core.einvoice.papers import access, coverage, expiry
from ledgerkit.core.postgres import EmbeddedPostgres
from ledgerkit.providers.api import Environment
from ledgerkit.providers.es.verifactu.sandbox import serve_forever
from ledgerkit.providers.registry import discover
from ledgerkit.runtime import own_database, serving, working
from ledgerkit.settings import Settings
from ledgerkit.start_errors import Misconfigured

cli = typer.Typer(
    name="ledgerkit",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Invoicing and light ERP that you run yourself. Settings: environment variables LEDGERKIT_*.",
)

Host = Annotated[str | None, typer.Option(help="Address to listen on (LEDGERKIT_HOST)")]
Port = Annotated[int | None, typer.Option(min=0, max=65535, help="TCP port (LEDGERKIT_PORT)")]


cli.add_typer(verifactu, name="verifactu")
cli.command()(backup)
cli.command()(restore)


@cli.command()
def serve(host: Host = None, port: Port = None) -> None:
    """Serve the API, /mcp and the documentation; starts PostgreSQL when none is configured."""
    given = {name: value for name, value in {"host": host, "port": port}.items() if value is not None}
    settings = configured(**given)
    logs.configure(settings)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    run(_served(settings))


def _leave(*_: object) -> None:
    """For a signal before uvicorn minds them, and for the one it passes on when it is done: leave in good order."""
    raise SystemExit(0)


async def _served(settings: Settings) -> None:
    """PostgreSQL and all that stands on it first, so that what they lack is said in one line; then the server."""
    bound(settings.host, settings.port).close()
    async with serving(settings) as kernel:
        config = uvicorn.Config(
            create_app(settings, kernel),
            host=settings.host,
            port=settings.port,
            log_config=None,
            access_log=False,
            proxy_headers=bool(settings.forwarded_allow_ips),
            forwarded_allow_ips=settings.forwarded_allow_ips,
            timeout_graceful_shutdown=20,
            server_header=False,
        )
        with bound(settings.host, settings.port) as listener:
            _banner(settings)
            await uvicorn.Server(config).serve(sockets=[listener])


@cli.command()
def worker() -> None:
    """Do the background work apart from `serve` (LEDGERKIT_WORKER=apart on both)."""
    settings = configured()
    logs.configure(settings)

    async def work() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        async with working(settings):
            await stop.wait()

    run(work())


@cli.command()
def migrate(
    renew_password: Annotated[
        bool, typer.Option("--renew-password", help="After the secret key was changed: for all servers on the database")
    ] = False,
) -> None:
    """Bring the configured database to this version's tables, and make the role that the server works as.

    `serve` does both by itself, where it has the owner's address.
    """
    settings = configured()

    async def work() -> None:
        async with AsyncExitStack() as stack:
            access = await own_database(stack, settings)
            if access.owner is None:
                msg = (
                    "Only the role that owns the database can migrate it. Put its address into LEDGERKIT_DATABASE_URL."
                )
                raise Misconfigured(msg)
            await prepare(replace(access, renews_password=access.renews_password or renew_password))

    run(work())
    typer.echo("The database is up to date.")


@cli.command()
def check_migrations() -> None:
    """Fail when the tables in the code differ from what the migrations make (on a throwaway server)."""

    async def work(directory: Path) -> None:
        server = EmbeddedPostgres(directory, durable=False)
        await server.start()
        try:
            await migrating.upgrade(server.url())
            await migrating.check(server.url())
        finally:
            await server.stop()

    with tempfile.TemporaryDirectory(prefix="ledgerkit-") as directory:
        run(work(Path(directory)))


@cli.command()
def countries() -> None:
    """List the countries that are installed, and those that could not be loaded."""
    found = discover()
    for code, country in sorted(found.countries.items()):
        channels = ", ".join(channel.id for channel in country.channels) or "no electronic invoicing"
        typer.echo(f"{code}  {country.name}  ({channels})")
    for broken in found.broken:
        typer.echo(f"--  {broken.distribution}: {broken.reason}", err=True)


@cli.command()
def sandbox(
    directory: Annotated[Path, typer.Option(help="Where its state and certificates lie")] = Path("data/sandbox/es"),
    host: Annotated[str, typer.Option(help="Address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="TCP port, 0 for a free one")] = 9443,
) -> None:
    """Run the sandbox tax authority by itself (`serve` runs one inside while LEDGERKIT_EINVOICE_ENV=sandbox)."""
    logs.configure(configured())
    run(serve_forever(directory, host, port))


@cli.command()
def openapi() -> None:
    """Print the OpenAPI description."""
    typer.echo(json.dumps(create_app(configured()).openapi(), indent=2, ensure_ascii=False))


@cli.command()
def doctor() -> None:
    """Say what this installation would run on."""
    settings = configured()
    typer.echo(f"ledgerkit {__version__}, Python {sys.version.split()[0]}")
    typer.echo(f"data directory: {settings.data_dir.resolve()}")
    typer.echo(f"e-invoicing: {settings.einvoice_env.value}")
    environment, countries = Environment(settings.einvoice_env.value), discover()
    for channel, found in expiry.operators(countries, environment).items():
        left = access.days_left(found.valid_until)
        state = f"{left} days left" if left >= 0 else "EXPIRED: renew it"
        typer.echo(f"certificate of {channel}: {found.holder.name}, until {found.valid_until:%Y-%m-%d} ({state})")
    for limit in coverage.limits_of_operators(countries, environment):
        typer.echo(limit)
    for country in countries.countries.values():
        for problem in (one for way in country.channels for one in way.ready(environment)):
            typer.echo(f"e-invoicing lacks {problem.field}: {problem.message}. {problem.remedy}")
    if settings.database_url is not None or settings.database_app_url is not None:
        typer.echo("database: your own (LEDGERKIT_DATABASE_URL, LEDGERKIT_DATABASE_APP_URL)")
        return
    for name, value in EmbeddedPostgres(settings.data_dir / "postgres").describe().items():
        typer.echo(f"database {name}: {value}")


@cli.command()
def version() -> None:
    """Print the version."""
    typer.echo(__version__)


def _banner(settings: Settings) -> None:
    url = settings.public_url
    typer.echo(
        f"ledgerkit {__version__}: {url}  docs {url}/docs  MCP {url}/mcp  e-invoicing: {settings.einvoice_env}",
        err=True,
    )


def main() -> None:
    """Entry point of the command `ledgerkit`."""
    cli()


if __name__ == "__main__":
    main()
