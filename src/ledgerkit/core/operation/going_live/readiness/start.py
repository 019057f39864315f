"""The start of a server: production never begins in accounts that hold a trial."""

from ledgerkit.core.operation.going_live.texts import GoingLiveMsg
from ledgerkit.core.platform.identity.accounts import trials
from ledgerkit.core.platform.identity.accounts.trials import TriedAccountRow
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.settings import EInvoiceEnvironment
from ledgerkit.settings.start_errors import Misconfigured

COMMAND = "ledgerkit go-live"
_SHOWN = 5


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
    shown = [f"{number.name} ({number.tax_id or '-'})" for number in tried[:_SHOWN]]
    return ", ".join(shown) + (", ..." if tried[_SHOWN:] else "")
