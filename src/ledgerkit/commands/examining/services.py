"""Checks of the database and of the mail server. Nothing is made, nothing is migrated, and no mail is sent."""

from contextlib import AsyncExitStack

from ledgerkit.commands.examining.findings import Finding, advised, good, of_error, of_problem
from ledgerkit.commands.examining.messages import DoctorMsg
from ledgerkit.core.operation.installation.database.access import existing_database
from ledgerkit.core.operation.installation.database.setup import Outlook, foresee
from ledgerkit.core.platform.database.migrations import head
from ledgerkit.core.platform.mail import Mailer
from ledgerkit.problems import Problem
from ledgerkit.settings import Settings
from ledgerkit.settings.start_errors import StartError
from ledgerkit.settings.values import UnfitValueError
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


async def mail(settings: Settings) -> list[Finding]:
    """Check that the mail server answers and accepts our credentials; no mail is sent."""
    if settings.smtp_url is None:
        return [advised(DoctorMsg.MAIL_KEPT, directory=settings.data_dir.absolute() / "mail")]
    try:
        server = await Mailer(settings).greet()
    except UnfitValueError as error:
        return [of_error(DoctorMsg.MAIL, error)]
    except Problem as problem:
        return [of_problem(DoctorMsg.MAIL, problem)]
    return [good(DoctorMsg.MAIL_GOOD, server=server), *_sender(settings)]


def _sender(settings: Settings) -> list[Finding]:
    if not settings.mail_from.endswith(".localdomain"):
        return []
    return [advised(DoctorMsg.MAIL_SENDER, sender=settings.mail_from)]
