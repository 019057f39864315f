"""Check that a start finds a database that it can work with. Nothing is made and nothing is migrated."""

from contextlib import AsyncExitStack

from ledgerkit.commands.examining.findings import Finding, good, of_error
from ledgerkit.commands.examining.messages import DoctorMsg
from ledgerkit.core.operation.installation.database.access import existing_database
from ledgerkit.core.operation.installation.database.setup import Outlook, foresee
from ledgerkit.core.platform.database.migrations import head
from ledgerkit.settings import Settings
from ledgerkit.settings.start_errors import StartError
from ledgerkit.texts import Message, MessageId


async def database(stack: AsyncExitStack, settings: Settings) -> tuple[list[Finding], str | None]:
    """Return the findings, and the address to work with where a start would have nothing left to make.

    An embedded PostgreSQL that does not run is started until `stack` ends.
    """
    try:
        access = await existing_database(stack, settings)
        outlook = None if access is None else await foresee(access)
    except StartError as error:
        return [of_error(DoctorMsg.DATABASE, error)], None
    if outlook is None:
        where = settings.data_dir.absolute() / "postgres"
        return [_about(DoctorMsg.DATABASE_TO_BE_MADE, path=where)], None
    return [_tables(outlook)], outlook.url


def _tables(outlook: Outlook) -> Finding:
    if outlook.url is not None:
        return _about(DoctorMsg.DATABASE_CURRENT, version=outlook.version, revision=head())
    revision = outlook.revision or DoctorMsg.NO_REVISION
    return _about(DoctorMsg.DATABASE_OLDER, version=outlook.version, revision=revision, next_revision=head())


def _about(message: MessageId, /, **values: object) -> Finding:
    return good(DoctorMsg.ABOUT, subject=DoctorMsg.DATABASE, finding=Message(message, values))
