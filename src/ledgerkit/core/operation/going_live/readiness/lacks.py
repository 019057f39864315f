"""Everything that an account still needs before what it issues can be real: of its own, and of the server."""

from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.operation.going_live.texts import GoingLiveMsg
from ledgerkit.core.platform.mail import Mailer
from ledgerkit.core.platform.mail.operations import Delivery
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Code
from ledgerkit.providers.api import Environment, FieldProblem
from ledgerkit.texts import Text, text

_ISSUER = {
    "issuer.taxId": ("tax_id", GoingLiveMsg.TAX_ID_MISSING),
    "issuer.address": ("address", GoingLiveMsg.ADDRESS_MISSING),
    "issuer.postalCode": ("postal_code", GoingLiveMsg.POSTAL_CODE_MISSING),
    "issuer.city": ("city", GoingLiveMsg.CITY_MISSING),
}
"""Columns that every invoice shows of its issuer, with the message of each lack. Source: RD 1619/2012 art. 6.1.c, e."""


async def missing(ctx: Context, *, even_incomplete: bool = False) -> list[FieldProblem]:
    """Return all that production lacks, each once. `even_incomplete`: of the server only, which all accounts share.

    Nothing of an authority is needed by an account that numbers without records.
    """
    if even_incomplete:
        channel = channels.channel_of(ctx)
        return [] if channel is None else list(channel.ready(Environment.PRODUCTION, own_certificate=True))
    problems = [*_of_issuer(ctx), *await access.production_needs(ctx)]
    return list({problem.field: problem for problem in reversed(problems)}.values())[::-1]


def notes(ctx: Context) -> list[Text]:
    """Return what production can do without, and what that means."""
    has_no_server = ctx.kernel.service(Mailer).transport is Delivery.FILE
    return [text(GoingLiveMsg.NO_MAIL_SERVER)] if has_no_server else []


def _of_issuer(ctx: Context) -> list[FieldProblem]:
    return [
        FieldProblem.of(field, Code.ISSUER_INCOMPLETE.value, message)
        for field, (column, message) in _ISSUER.items()
        if not getattr(ctx.account, column)
    ]
