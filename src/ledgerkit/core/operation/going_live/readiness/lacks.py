"""Lacks of an account and a server before real invoices, and the start that a trial refuses."""

from ledgerkit.core.einvoice.authority import channels
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.operation.going_live.texts import GoingLiveMsg
from ledgerkit.core.platform.identity.accounts import trials
from ledgerkit.core.platform.identity.accounts.trials import TriedAccountRow
from ledgerkit.core.platform.mail import Mailer
from ledgerkit.core.platform.mail.operations import Delivery
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.problems import Code
from ledgerkit.providers.api import Environment, FieldProblem
from ledgerkit.settings import EInvoiceEnvironment
from ledgerkit.settings.start_errors import Misconfigured
from ledgerkit.texts import Text, text

COMMAND = "ledgerkit go-live"
_SHOWN = 5

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


async def refuse_trials(kernel: Kernel) -> None:
    """Raise Misconfigured when this server reports to the real authority and accounts have only tried out so far.

    Otherwise the first real number would come after those of the trial, and its money would count beside real money.
    """
    if kernel.settings.einvoice_env is not EInvoiceEnvironment.PRODUCTION:
        return
    tried = await trials.tried_accounts(kernel)
    if tried:
        raise Misconfigured(GoingLiveMsg.START_REFUSED, accounts=names(tried), command=COMMAND)


def names(tried: list[TriedAccountRow]) -> str:
    """Name the first of these accounts, each with its tax identifier."""
    shown = [f"{account.name} ({account.tax_id or '-'})" for account in tried[:_SHOWN]]
    return ", ".join(shown) + (", ..." if tried[_SHOWN:] else "")
