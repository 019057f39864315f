"""Everything that an account still needs before what it issues can be real: of its own, and of the server."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from ledgerkit import clock
from ledgerkit.core.einvoice import channels
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.going_live.messages import GoingLiveMsg
from ledgerkit.core.mail import Mailer
from ledgerkit.core.mail.service import Delivery
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code
from ledgerkit.providers.api import Declaration, Environment, FieldProblem, FiscalChannel
from ledgerkit.texts import Text, text

_REAL = Environment.PRODUCTION
_ISSUER = {
    "issuer.taxId": ("tax_id", GoingLiveMsg.TAX_ID_MISSING),
    "issuer.address": ("address", GoingLiveMsg.ADDRESS_MISSING),
    "issuer.postalCode": ("postal_code", GoingLiveMsg.POSTAL_CODE_MISSING),
    "issuer.city": ("city", GoingLiveMsg.CITY_MISSING),
}
"""Columns that every invoice shows of its issuer, with the message of each lack. Source: RD 1619/2012 art. 6.1.c, e."""


async def missing(ctx: Context, *, even_incomplete: bool = False) -> list[FieldProblem]:
    """Return all that production lacks, each once. `even_incomplete`: of the server only, which all accounts share.

    Nothing of an authority is needed by an account that has chosen to number without records.
    """
    problems = [] if even_incomplete else _of_issuer(ctx)
    channel = channels.channel_of(ctx)
    if channel is not None and ctx.account.einvoicing == "on":
        if even_incomplete:
            problems += channel.ready(_REAL, own_certificate=True)
        else:
            problems += await access.reporting_obstacles(ctx, channel, _REAL, ctx.account.tax_id or "")
            problems += await _of_certificate(ctx, channel)
        problems += _of_declaration(channel)
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


async def _of_certificate(ctx: Context, channel: FiscalChannel) -> Sequence[FieldProblem]:
    """Return the problem of a certificate that is out of date; whose it must be, the channel says."""
    certificate = await access.own_certificate(ctx)
    if certificate is not None:
        return _out_of_date(certificate.valid_from, certificate.valid_to)
    if channel.certifies is None:
        return []
    operators = await asyncio.to_thread(channel.certifies.operators, _REAL)
    return [] if operators is None else _out_of_date(operators.valid_from, operators.valid_until)


def _out_of_date(since: datetime, until: datetime) -> list[FieldProblem]:
    now = clock.now()
    if until <= now:
        message, day = GoingLiveMsg.CERTIFICATE_EXPIRED, until
    elif since > now:
        message, day = GoingLiveMsg.CERTIFICATE_NOT_YET_VALID, since
    else:
        return []
    return [FieldProblem.of("certificate", Code.CERTIFICATE_UNUSABLE.value, message, day=day.date())]


def _of_declaration(channel: FiscalChannel) -> Sequence[FieldProblem]:
    """Return what the producer's declaration of responsibility lacks. Source: RD 1007/2023 art. 13."""
    declaration = None if channel.declares is None else channel.declares.declaration(_REAL)
    return [] if declaration is None or isinstance(declaration, Declaration) else declaration
