"""`ledgerkit verifactu reconcile` and `resume`: compare with the authority, and send again what had stopped."""

from datetime import datetime
from typing import Annotated

import typer

from ledgerkit.cli.help import Command
from ledgerkit.commands.language import say
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.commands.running import NOT_RIGHT, AccountId, Chosen, TaxId, run_in_account
from ledgerkit.core.einvoice.api import Difference
from ledgerkit.core.einvoice.transmission import reconciliation
from ledgerkit.core.platform.request.context import Context
from ledgerkit.texts import text
from ledgerkit.texts.common import CountedMsg

sending = typer.Typer()

Month = Annotated[datetime, typer.Option("--month", formats=["%Y-%m"], help="Month of operation, 2026-11")]


@sending.command(cls=Command)
def reconcile(month: Month, tax_id: TaxId = None, account: AccountId = None) -> None:
    """Compare a month's records with those at the authority.

    Ends with 1 when a difference was not repaired. Only safe differences are repaired: a record that
    waits for its answer takes the state that the authority shows.
    """

    async def work(ctx: Context) -> None:
        result = await reconciliation.reconcile(ctx, month.year, month.month)
        say(
            CommandsMsg.COMPARED,
            issuer=result.issuer_tax_id,
            month=f"{month:%Y-%m}",
            environment=result.environment,
            documents_here=text(CountedMsg.DOCUMENTS, count=result.documents_here),
            documents_there=result.documents_there,
            differences=text(CountedMsg.DIFFERENCES, count=len(result.differences)),
        )
        for difference in result.differences:
            _print_difference(difference)
        if not all(difference.repaired for difference in result.differences):
            raise typer.Exit(NOT_RIGHT)

    run_in_account(Chosen(tax_id, account), work)


@sending.command(cls=Command)
def resume(tax_id: TaxId = None, account: AccountId = None) -> None:
    """Send again records that the authority had stopped (code 4141), and at once those that wait after a failure.

    A running `ledgerkit serve` or `worker` does the sending.
    """

    async def work(ctx: Context) -> None:
        say(CommandsMsg.CHAINS_DUE, count=await reconciliation.resume(ctx))

    run_in_account(Chosen(tax_id, account), work)


def _print_difference(difference: Difference) -> None:
    say(
        CommandsMsg.DIFFERENCE,
        number=difference.number,
        issue_date=difference.issue_date.isoformat(),
        kind=CommandsMsg.REPAIRED if difference.repaired else CommandsMsg(f"commands.difference_{difference.kind}"),
        state_here=_state(difference.here),
        state_there=_state(difference.there),
        next_step=difference.remedy,
    )
    if difference.total_here is not None and difference.total_there not in {None, difference.total_here}:
        say(CommandsMsg.DIFFERENCE_TOTALS, here=difference.total_here, there=difference.total_there)


def _state(state: str | None) -> CommandsMsg:
    return CommandsMsg.NOTHING if state is None else CommandsMsg(f"commands.state_{state}")
