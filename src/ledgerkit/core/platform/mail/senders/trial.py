"""A mail to oneself, to see whether mail leaves this server."""

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.identity.limits.throttle import TRIAL_MAILS, Throttle
from ledgerkit.core.platform.mail.delivery.message import Mail
from ledgerkit.core.platform.mail.letters.layout import Language, server_mail
from ledgerkit.core.platform.mail.operations import Delivery, Mailer
from ledgerkit.core.platform.mail.senders import rules
from ledgerkit.core.platform.mail.texts import MailMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import AddressUnverified, BadGateway, Code, RateLimited
from ledgerkit.texts import text


class MailTried(Wire):
    """A mail that was accepted; `file`: this server has no mail server and stores its mails as files."""

    recipient: str
    """Address of whoever asked, to which the mail goes."""
    delivered_to: Delivery = Field(description="`smtp`: the mail server has accepted it; `file`: kept on this server")


@operation(
    Permission.LOGIN,
    unit=Unit.OWN,
    errors=[
        (AddressUnverified, {Code.EMAIL_UNVERIFIED}),
        (RateLimited, {Code.RATE_LIMITED}),
        (BadGateway, {Code.MAIL_FAILED}),
    ],
    effects=Effect.OPEN_WORLD,
)
async def send_to_oneself(ctx: Context) -> MailTried:
    """Mail a few words to the person who asks.

    Raises AddressUnverified, since an unverified address may be somebody else's; RateLimited after three an hour;
    BadGateway MAIL_FAILED with the mail server's words.
    """
    await rules.require_verified(ctx)
    recipient = ctx.actor.email
    assert recipient is not None  # noqa: S101 - whoever has a login has an address
    await ctx.kernel.service(Throttle).spend(TRIAL_MAILS, str(ctx.actor.user_id), refusal=MailMsg.TOO_MANY_TRIALS)
    mail = _trial_mail(recipient, ctx.request_metadata.language)
    receipt = await ctx.kernel.service(Mailer).send(mail)
    return MailTried(recipient=recipient, delivered_to=receipt.delivered_to)


def _trial_mail(recipient: str, language: Language) -> Mail:
    title = text(MailMsg.TRIAL_SUBJECT).in_language(language)
    return server_mail("trial", language, {"title": title, "team": "ledgerkit"}, recipient)
