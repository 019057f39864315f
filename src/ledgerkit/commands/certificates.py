"""`ledgerkit verifactu declaration`, `obligations`, `test-connection`: what the law wants, access to the authority."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated

import typer

from ledgerkit.commands.language import say
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.commands.running import NOT_RIGHT, AccountId, Chosen, TaxId, run_in_account
from ledgerkit.core.einvoice.certificates import operations as certificates
from ledgerkit.core.einvoice.producer_statement import operations as producer_statement
from ledgerkit.core.platform.request.clock_watch import is_wrong
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.registry import discover


class Form(StrEnum):
    """Format of a printed statement."""

    TEXT = "text"
    HTML = "html"
    JSON = "json"


def declaration(
    tax_id: TaxId = None,
    account: AccountId = None,
    version: Annotated[str | None, typer.Option(help="Version of the software; by default the running one")] = None,
    form: Annotated[Form, typer.Option("--format", help="text, html or json")] = Form.TEXT,
) -> None:
    """Print the statement of the producer of this software."""

    async def work(ctx: Context) -> None:
        statement = await producer_statement.declaration(ctx, version)
        if form is Form.JSON:
            typer.echo(statement.model_dump_json(by_alias=True, indent=2))
        else:
            print_as = producer_statement.as_text if form is Form.TEXT else producer_statement.as_html
            typer.echo(print_as(statement), nl=False)

    run_in_account(Chosen(tax_id, account), work)


def obligations() -> None:
    """Print since when the law obliges whom, and what is announced and no law.

    Reads the configuration only: neither a server nor a database is needed.
    """
    for country in discover().countries.values():
        for channel in country.channels:
            for duty in producer_statement.obligations(channel):
                say(CommandsMsg.OBLIGATION, who=duty.who, day=duty.since, source=duty.source)
                if duty.announcement is not None:
                    say(CommandsMsg.OBLIGATION_ANNOUNCED, announced=duty.announced, source=duty.announcement.source)


def connection(tax_id: TaxId = None, account: AccountId = None) -> None:
    """Connect to the authority with the account's certificate or the operator's, and report nothing."""

    async def work(ctx: Context) -> None:
        tested = await certificates.test(ctx)
        certificate = tested.certificate or "-"
        host = tested.host or "-"
        say(CommandsMsg.CONNECTION_TESTED, environment=tested.environment, host=host, certificate=certificate)
        say(
            CommandsMsg.CONNECTION_RESULT,
            reachable=_yes_or_no(tested.reachable),
            verified=_yes_or_no(tested.server_verified),
            accepted=_yes_or_no(tested.certificate_accepted),
            milliseconds=tested.milliseconds,
        )
        if tested.clock_seconds_ahead is not None and is_wrong(timedelta(seconds=tested.clock_seconds_ahead)):
            say(CommandsMsg.AUTHORITY_CLOCK_DIFFERS, seconds=tested.clock_seconds_ahead)
        if tested.problem is not None:
            typer.echo(f"{tested.problem.code}: {tested.problem.message} {tested.problem.remedy}", err=True)
        if not tested.ok:
            raise typer.Exit(NOT_RIGHT)

    run_in_account(Chosen(tax_id, account), work)


def _yes_or_no(value: bool | None) -> CommandsMsg:
    return CommandsMsg.UNKNOWN if value is None else CommandsMsg.YES if value else CommandsMsg.NO
