"""`ledgerkit verifactu reconcile` and `resume`: compare with the authority, and send again what had stopped."""

from datetime import date, datetime
from typing import Annotated

import typer

from ledgerkit.commands.running import NOT_RIGHT, AccountId, Chosen, TaxId, run_in_account
from ledgerkit.core.einvoice.schemas import Difference
from ledgerkit.core.einvoice.transmission import reconciliation
from ledgerkit.core.request.context import Context

sending = typer.Typer()

Month = Annotated[datetime, typer.Option("--month", formats=["%Y-%m"], help="Month of operation, 2026-11")]


@sending.command()
def reconcile(month: Month, tax_id: TaxId = None, account: AccountId = None) -> None:
    """Compare a month's records with those at the authority. Ends with 1 when a difference was not repaired.

    Only safe differences are repaired: a record that waits for its answer takes the state that the authority shows.
    """

    async def work(ctx: Context) -> None:
        result = await reconciliation.reconcile(ctx, month.year, month.month)
        typer.echo(
            f"{result.issuer_tax_id}, {month:%Y-%m} ({result.environment}): {result.documents_here} documents here, "
            f"{result.documents_there} at the authority, {len(result.differences)} differences."
        )
        for difference in result.differences:
            _print_difference(difference)
        if not all(difference.repaired for difference in result.differences):
            raise typer.Exit(NOT_RIGHT)

    run_in_account(Chosen(tax_id, account), work)


@sending.command()
def resume(tax_id: TaxId = None, account: AccountId = None) -> None:
    """Send again records that the authority had stopped (code 4141), and at once those that wait after a failure.

    A running `ledgerkit serve` or `worker` does the sending.
    """

    async def work(ctx: Context) -> None:
        typer.echo(f"{await reconciliation.resume(ctx)} chains with waiting records are due now.")

    run_in_account(Chosen(tax_id, account), work)


def _print_difference(difference: Difference) -> None:
    kind = "repaired" if difference.repaired else difference.kind.replace("_", " ")
    issue_date: date = difference.issue_date
    state_here, state_there = difference.here or "nothing", difference.there or "nothing"
    typer.echo(f"{difference.number} of {issue_date.isoformat()}: {kind}. Here: {state_here}. ", nl=False)
    typer.echo(f"There: {state_there}. {difference.remedy}")
