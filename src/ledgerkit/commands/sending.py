"""`ledgerkit verifactu reconcile` and `resume`: what the authority holds, and sending again after it had stopped."""

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
    """Compare a month with what the authority holds of it. Ends with 1 when something differs that was not repaired.

    Repaired is only what is safe: a record that waits for its answer takes the state that the authority shows.
    """

    async def work(ctx: Context) -> None:
        found = await reconciliation.reconcile(ctx, month.year, month.month)
        typer.echo(
            f"{found.issuer_tax_id}, {month:%Y-%m} ({found.environment}): {found.documents_here} documents here, "
            f"{found.documents_there} at the authority, {len(found.differences)} differences."
        )
        for one in found.differences:
            _tell(one)
        if not all(one.repaired for one in found.differences):
            raise typer.Exit(NOT_RIGHT)

    run_in_account(Chosen(tax_id, account), work)


@sending.command()
def resume(tax_id: TaxId = None, account: AccountId = None) -> None:
    """Send again what the authority had stopped (code 4141), and try at once what waits after a failure.

    A running `ledgerkit serve` or `worker` does the sending.
    """

    async def work(ctx: Context) -> None:
        typer.echo(f"{await reconciliation.resume(ctx)} chains with waiting records are due now.")

    run_in_account(Chosen(tax_id, account), work)


def _tell(one: Difference) -> None:
    kind = "repaired" if one.repaired else one.kind.replace("_", " ")
    day: date = one.issue_date
    typer.echo(f"{one.number} of {day.isoformat()}: {kind}. Here: {one.here or 'nothing'}. ", nl=False)
    typer.echo(f"There: {one.there or 'nothing'}. {one.remedy}")
