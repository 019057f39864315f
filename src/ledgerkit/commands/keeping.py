"""`ledgerkit verifactu scan|events|answer-request`: for issuers whose records are kept instead of reported."""

import json
from datetime import datetime
from typing import Annotated

import typer

from ledgerkit.commands.running import NOT_RIGHT, AccountId, Chosen, TaxId, run_in_account
from ledgerkit.core.api_types.paging import PageRequest
from ledgerkit.core.einvoice.event_log.schemas import DemandInput, Flaw
from ledgerkit.core.einvoice.signed_mode import requests
from ledgerkit.core.einvoice.signed_mode import scan as scans
from ledgerkit.core.request.context import Context

keeping = typer.Typer()


@keeping.command()
def scan(tax_id: TaxId = None, account: AccountId = None) -> None:
    """Check every record, signature and event of the open chain, and log the check. Ends with 1 when one is wrong."""

    async def work(ctx: Context) -> None:
        found = await scans.scan(ctx)
        typer.echo(
            f"Installation {found.installation_number}: {found.records} records, {found.signatures} signatures, "
            f"{found.events} events checked" + (", and the check is logged." if found.logged else ".")
        )
        for what, flaws in (("record", found.record_flaws), ("event", found.event_flaws)):
            for flaw in flaws:
                _name(what, flaw)
        if found.record_flaws or found.event_flaws:
            raise typer.Exit(NOT_RIGHT)

    run_in_account(Chosen(tax_id, account), work)


def _name(what: str, flaw: Flaw) -> None:
    typer.echo(f"  {what} {flaw.position}, {flaw.kind} (code {flaw.code}): {flaw.message}")


@keeping.command()
def events(
    tax_id: TaxId = None,
    account: AccountId = None,
    count: Annotated[int, typer.Option("--last", min=1, max=1000, help="How many, the newest first")] = 50,
) -> None:
    """List what happened to the system while it kept records."""

    async def work(ctx: Context) -> None:
        page = await scans.listing(ctx, PageRequest(1, count))
        for one in json.loads(page.body):
            typer.echo(f"{one['at']}  {one['position']:>6}  {one['code']}  {one['kind']:<16}  {one['hash']}")
        typer.echo(f"{min(count, page.total)} of {page.total} events.")

    run_in_account(Chosen(tax_id, account), work)


@keeping.command("answer-request")
def answer_request(
    reference: Annotated[str, typer.Option("--reference", help="Of the demand, as the authority gives it")],
    since: Annotated[datetime, typer.Option("--from", formats=["%Y-%m-%d"], help="First day of their making")],
    until: Annotated[datetime, typer.Option("--to", formats=["%Y-%m-%d"], help="Last day, inclusive")],
    tax_id: TaxId = None,
    account: AccountId = None,
) -> None:
    """Send the records that were kept in a period, as the authority demands; again, to go on where it ended.

    Ends with 1 when the authority has not taken all of them.
    """

    async def work(ctx: Context) -> None:
        wanted = DemandInput(reference=reference, since=since.date(), until=until.date())
        answered = await requests.answer(ctx, wanted)
        for one in answered.messages:
            outcome = f"taken, CSV {one.csv}" if one.delivered else "not taken"
            why = f": {one.problem}" if one.problem else ""
            typer.echo(f"Message {one.ordinal}: {one.records} records, {outcome}{why}")
        if not answered.complete:
            typer.echo("Not all is answered: give the same command again.", err=True)
            raise typer.Exit(NOT_RIGHT)
        typer.echo(f"Demand {answered.reference} is answered: {answered.records} records.")

    run_in_account(Chosen(tax_id, account), work)
