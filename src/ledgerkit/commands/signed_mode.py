"""`ledgerkit verifactu scan|events|answer-request`: for issuers in the signed mode."""

import json
from datetime import datetime
from typing import Annotated

import typer

from ledgerkit.cli.help import Command
from ledgerkit.commands.language import say
from ledgerkit.commands.running import NOT_RIGHT, AccountId, Chosen, TaxId, run_in_account
from ledgerkit.core.einvoice.signed_mode import requests
from ledgerkit.core.einvoice.signed_mode import scan as scans
from ledgerkit.core.einvoice.signed_mode.api import DemandInput
from ledgerkit.core.einvoice.signed_mode.texts import SignedModeMsg
from ledgerkit.core.platform.api_types.list_pages import PageRequest
from ledgerkit.core.platform.request.context import Context
from ledgerkit.texts import Joined, text
from ledgerkit.texts.common import CountedMsg

signed_mode = typer.Typer()


@signed_mode.command(cls=Command)
def scan(tax_id: TaxId = None, account: AccountId = None) -> None:
    """Check every record, signature and event of the open chain, and log the check.

    Ends with 1 when one is wrong.
    """

    async def work(ctx: Context) -> None:
        result = await scans.scan(ctx)
        say(
            SignedModeMsg.SCANNED_AND_LOGGED if result.logged else SignedModeMsg.SCANNED,
            installation=result.installation_number,
            records=text(CountedMsg.RECORDS, count=result.records),
            signatures=text(CountedMsg.SIGNATURES, count=result.signatures),
            events=text(CountedMsg.EVENTS, count=result.events),
        )
        for message, flaws in (
            (SignedModeMsg.RECORD_FLAW, result.record_flaws),
            (SignedModeMsg.EVENT_FLAW, result.event_flaws),
        ):
            for flaw in flaws:
                say(message, position=flaw.position, kind=flaw.kind, flaw_code=flaw.code, flaw=flaw.message)
        if result.record_flaws or result.event_flaws:
            raise typer.Exit(NOT_RIGHT)

    run_in_account(Chosen(tax_id, account), work)


@signed_mode.command(cls=Command)
def events(
    tax_id: TaxId = None,
    account: AccountId = None,
    count: Annotated[int, typer.Option("--last", min=1, max=1000, help="How many, the newest first")] = 50,
) -> None:
    """List the events of the system in the signed mode."""

    async def work(ctx: Context) -> None:
        page = await scans.list_events(ctx, PageRequest(1, count))
        for event in json.loads(page.body):
            typer.echo(f"{event['at']}  {event['position']:>6}  {event['code']}  {event['kind']:<16}  {event['hash']}")
        say(SignedModeMsg.EVENTS_LISTED, count=min(count, page.total), total=page.total)

    run_in_account(Chosen(tax_id, account), work)


@signed_mode.command("answer-request", cls=Command)
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
        answer = await requests.answer_request(ctx, demand)
        for message in answer.messages:
            outcome = (
                text(SignedModeMsg.MESSAGE_TAKEN, csv=message.csv)
                if message.delivered
                else text(SignedModeMsg.MESSAGE_NOT_TAKEN)
            )
            result = Joined([outcome, *([message.problem] if message.problem else [])], ": ")
            say(SignedModeMsg.MESSAGE_RESULT, ordinal=message.ordinal, records=message.records, result=result)
        if not answer.complete:
            say(SignedModeMsg.REQUEST_INCOMPLETE, err=True)
            raise typer.Exit(NOT_RIGHT)
        say(SignedModeMsg.REQUEST_ANSWERED, reference=answer.reference, records=answer.records)

    run_in_account(Chosen(tax_id, account), work)
