"""Check that mail can be sent."""

from ledgerkit.commands.examining.findings import Finding, advised, good, of_error, of_problem
from ledgerkit.core.mail import Mailer
from ledgerkit.problems import Problem
from ledgerkit.settings import Settings

_MAIL = "Mail", "Correo"


async def mail(settings: Settings) -> list[Finding]:
    """The mail server answers and lets us in; no mail is sent."""
    if settings.smtp_url is None:
        kept = settings.data_dir.absolute() / "mail"
        return [
            advised(
                f"{_MAIL[0]}: none goes out, each is a file in {kept}. Set LEDGERKIT_SMTP_URL to send them.",
                f"{_MAIL[1]}: no sale ninguno, quedan como ficheros en {kept}. Pon LEDGERKIT_SMTP_URL para enviarlos.",
            )
        ]
    try:
        where = await Mailer(settings).greet()
    except ValueError as error:
        return [of_error(_MAIL, error)]
    except Problem as problem:
        return [of_problem(_MAIL, problem)]
    return [good(f"{_MAIL[0]}: {where} lets us in", f"{_MAIL[1]}: {where} nos deja entrar"), *_sender(settings)]


def _sender(settings: Settings) -> list[Finding]:
    if not settings.mail_from.endswith(".localdomain"):
        return []
    return [
        advised(
            f"{_MAIL[0]}: mails come from {settings.mail_from}, which most servers refuse. Set LEDGERKIT_MAIL_FROM.",
            f"{_MAIL[1]}: los correos salen de {settings.mail_from}, que casi todos rechazan. Pon LEDGERKIT_MAIL_FROM.",
        )
    ]
