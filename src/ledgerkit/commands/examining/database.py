"""Check that a start finds a database that it can work with. Nothing is made and nothing is migrated."""

from contextlib import AsyncExitStack

from ledgerkit.commands.examining.findings import Finding, good, of_error
from ledgerkit.core.database.migrating import head
from ledgerkit.core.installation.database_setup import Outlook, foresee
from ledgerkit.runtime import existing_database
from ledgerkit.settings import Settings
from ledgerkit.start_errors import StartError

_DATABASE = "Database", "Base de datos"


async def database(stack: AsyncExitStack, settings: Settings) -> tuple[list[Finding], str | None]:
    """Return the findings, and the address to work with where a start would have nothing left to make.

    An embedded PostgreSQL that does not run is started until `stack` ends.
    """
    try:
        access = await existing_database(stack, settings)
        outlook = None if access is None else await foresee(access)
    except StartError as error:
        return [of_error(_DATABASE, error)], None
    if outlook is None:
        where = settings.data_dir.absolute() / "postgres"
        english, spanish = f"the first start makes it ({where})", f"la crea el primer arranque ({where})"
        return [good(f"{_DATABASE[0]}: {english}", f"{_DATABASE[1]}: {spanish}")], None
    return [_found(outlook)], outlook.url


def _found(outlook: Outlook) -> Finding:
    english = f"{_DATABASE[0]}: PostgreSQL {outlook.version}"
    spanish = f"{_DATABASE[1]}: PostgreSQL {outlook.version}"
    if outlook.url is not None:
        return good(f"{english}, tables of revision {head()}", f"{spanish}, tablas de la revisión {head()}")
    return good(
        f"{english}, tables of revision {outlook.revision or 'none'}; the next start brings it to {head()}",
        f"{spanish}, tablas de la revisión {outlook.revision or 'ninguna'}; el próximo arranque la lleva a {head()}",
    )
