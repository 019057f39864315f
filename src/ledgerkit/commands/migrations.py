"""`ledgerkit migrate` and `ledgerkit check-migrations`: the tables of this version, and a check of the migrations."""

import tempfile
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ledgerkit.commands.configuring import configured
from ledgerkit.commands.language import say
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.commands.running import run
from ledgerkit.core.operation.installation.database.access import own_database, throwaway_database
from ledgerkit.core.operation.installation.database.setup import prepare
from ledgerkit.core.platform.database import migrations
from ledgerkit.settings.start_errors import Misconfigured


def migrate(
    renew_password: Annotated[
        bool, typer.Option("--renew-password", help="After the secret key was changed: for all servers on the database")
    ] = False,
) -> None:
    """Bring the configured database to this version's tables.

    The role that the server works as is made, too. `serve` does both by itself, where it has the owner's address.
    """
    settings = configured()

    async def work() -> None:
        async with AsyncExitStack() as stack:
            access = await own_database(stack, settings)
            if access.owner is None:
                raise Misconfigured(CommandsMsg.OWNER_ADDRESS_NEEDED)
            await prepare(replace(access, renews_password=access.renews_password or renew_password))

    run(work())
    say(CommandsMsg.DATABASE_CURRENT)


def check_migrations() -> None:
    """Compare the code's tables with what the migrations make.

    Ends with an error when they differ. A throwaway PostgreSQL is started for it.
    """

    async def work(directory: Path) -> None:
        async with throwaway_database(directory) as url:
            await migrations.upgrade(url)
            await migrations.check(url)

    with tempfile.TemporaryDirectory(prefix="ledgerkit-") as directory:
        run(work(Path(directory)))
