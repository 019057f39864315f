"""`ledgerkit verifactu scan|events|answer-request`: for issuers in the signed mode."""

import json
from datetime import datetime
from typing import Annotated

import typer

from ledgerkit.commands.running import NOT_RIGHT, AccountId, Chosen, TaxId, run_in_account
from ledgerkit.core.api_types.paging import PageRequest
from ledgerkit.core.einvoice.signed_mode import requests
from ledgerkit.core.einvoice.signed_mode import scan as scans
from ledgerkit.core.einvoice.signed_mode.schemas import DemandInput, Flaw
from ledgerkit.core.request.context import Context

signed_mode = typer.Typer()


@signed_mode.command()
def scan(tax_id: TaxId = None, account: AccountId = None) -> None:
    """Check every record, signature and event of the open chain, and log the check. Ends with 1 when one is wrong."""

    async def work(ctx: Context) -> None:
        result = await scans.scan(ctx)
        typer.echo(
            f"Installation {result.installation_number}: {result.records} records, {result.signatures} signatures, "
            f"{result.events} events checked" + (", and the check is logged." if result.logged else ".")
        )
        for subject, flaws in (("record", result.record_flaws), ("event", result.event_flaws)):
            for flaw in flaws:
                _print_flaw(subject, flaw)
        if result.record_flaws or result.event_flaws:
            raise typer.Exit(NOT_RIGHT)

    run_in_account(Chosen(tax_id, account), work)


def _print_flaw(subject: str, flaw: Flaw) -> None:
    typer.echo(f"  {subject} {flaw.position}, {flaw.kind} (code {flaw.code}): {flaw.message}")


@signed_mode.command()
def events(
    tax_id: TaxId = None,
    account: AccountId = None,
    count: Annotated[int, typer.Option("--last", min=1, max=1000, help="How many, the newest first")] = 50,
) -> None:
    """List the events of the system in the signed mode."""

    async def work(ctx: Context) -> None:
        page = await scans.listing(ctx, PageRequest(1, count))
        for event in json.loads(page.body):
            typer.echo(f"{event['at']}  {event['position']:>6}  {event['code']}  {event['kind']:<16}  {event['hash']}")
        typer.echo(f"{min(count, page.total)} of {page.total} events.")

    run_in_account(Chosen(tax_id, account), work)


@signed_mode.command("answer-request")
def answer_request(
    reference: Annotated[str, typer.Option("--reference", help="Reference of the request, as the authority gives it")],
    since: Annotated[datetime, typer.Option("--from", formats=["%Y-%m-%d"], help="First day of generation")],
    until: Annotated[datetime, typer.Option("--to", formats=["%Y-%m-%d"], help="Last day, inclusive")],
    tax_id: TaxId = None,
    account: AccountId = None,
) -> None:
    """Answer a request of the authority with the signed records of a period; a repeated call goes on where it ended.

    Ends with 1 when the authority has not accepted all of them.
    """

    async def work(ctx: Context) -> None:
        demand = DemandInput(reference=reference, since=since.date(), until=until.date())
        answer = await requests.answer(ctx, demand)
        for message in answer.messages:
            outcome = f"taken, CSV {message.csv}" if message.delivered else "not taken"
            cause = f": {message.problem}" if message.problem else ""
            typer.echo(f"Message {message.ordinal}: {message.records} records, {outcome}{cause}")
        if not answer.complete:
            typer.echo("Not all is answered: give the same command again.", err=True)
            raise typer.Exit(NOT_RIGHT)
        typer.echo(f"Demand {answer.reference} is answered: {answer.records} records.")

    run_in_account(Chosen(tax_id, account), work)
