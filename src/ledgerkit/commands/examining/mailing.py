"""Check that mail can be sent."""

from ledgerkit.commands.examining.findings import Finding, advised, good, of_error, of_problem
from ledgerkit.commands.examining.messages import DoctorMsg
from ledgerkit.core.platform.mail import Mailer
from ledgerkit.problems import Problem
from ledgerkit.settings import Settings
from ledgerkit.settings.values import UnfitValueError


async def mail(settings: Settings) -> list[Finding]:
    """The mail server answers and lets us in; no mail is sent."""
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
