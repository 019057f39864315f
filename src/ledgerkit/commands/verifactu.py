"""`ledgerkit verifactu ...`: chains, records and their authority, for the operator of the server."""

import sys
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ledgerkit.cli.help import Command, Group
from ledgerkit.commands.language import operators_language, say
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.commands.running import NOT_RIGHT, WRONG_USE, AccountId, Chosen, TaxId, run_in_account
from ledgerkit.commands.sending import sending
from ledgerkit.commands.signed_mode import signed_mode
from ledgerkit.core.einvoice.certificates import operations as certificates
from ledgerkit.core.einvoice.chain import lost_numbers
from ledgerkit.core.einvoice.chain.api import Stretch, UnrecordedDocuments
from ledgerkit.core.einvoice.inspection import export as exports
from ledgerkit.core.einvoice.inspection import unrecorded, verification
from ledgerkit.core.einvoice.producer_statement import operations as producer_statement
from ledgerkit.core.platform.request.clock_watch import is_wrong
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.registry import discover
from ledgerkit.settings import private_files
from ledgerkit.texts import Text, text
from ledgerkit.texts.common import CountedMsg

SUMMARY_CHARACTERS = 200


class _WholeSummaries(Group):
    """A group of commands whose help shows each one's whole first sentence, over several lines where it is long."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        names = self.list_commands(ctx)
        rows = [(name, self.commands[name].get_short_help_str(SUMMARY_CHARACTERS)) for name in names]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


verifactu = typer.Typer(
    cls=_WholeSummaries,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Chains of fiscal records: verification, export, access and sending.\n\nThey work beside a running `serve` "
    "and alone. Exit codes: 0 done; 1 done, and something is not right; 2 wrong use; 3 could not be done; "
    "69 the database is away; 78 something has to be configured first.",
)
verifactu.add_typer(sending)
verifactu.add_typer(signed_mode)


First = Annotated[int, typer.Option("--from", min=1, help="Position of the first record")]
Last = Annotated[int | None, typer.Option("--to", min=1, help="Position of the last record", show_default=False)]
Installation = Annotated[
    str | None, typer.Option("--installation", help="Installation number; default: every chain", show_default=False)
]


@verifactu.command(cls=Command)
def verify(
    tax_id: TaxId = None,
    account: AccountId = None,
    installation: Installation = None,
    first: First = 1,
    last: Last = None,
) -> None:
    """Walk the chains and name the first break of each, and numbered documents without a record.

    Ends with 1 when a chain does not hold, or a document lacks the record that it owes.
    """

    async def work(ctx: Context) -> None:
        numbers = [installation] if installation else await _numbers(ctx)
        verdicts = [
            await _verify(ctx, Stretch(installation_number=number, first=first, last=last)) for number in numbers
        ]
        if not verdicts:
            say(CommandsMsg.NO_RECORDS)
        for warning in await _lost_numbers(ctx):
            typer.echo(warning.in_language(operators_language()))
        none_owed = _print_unrecorded(await unrecorded.list_unrecorded(ctx))
        if not all([*verdicts, none_owed]):
            raise typer.Exit(NOT_RIGHT)

    run_in_account(Chosen(tax_id, account), work)


async def _lost_numbers(ctx: Context) -> list[Text]:
    async with ctx.reading() as inner:
        return await lost_numbers.recent(inner)


def _print_unrecorded(missing: UnrecordedDocuments) -> bool:
    """Print the numbered documents without a record; return True when none of them owes one."""
    for reason, count in missing.others.items():
        say(CommandsMsg.OWING_NO_RECORD, reason=_OWING_NONE[reason], count=count)
    for late in missing.imported:
        say(CommandsMsg.IMPORTED_LATER, number=late.number, issue_date=late.issue_date, next_step=late.remedy)
    if not missing.count:
        return True
    say(CommandsMsg.RECORDS_OWED, count=missing.count)
    for document in missing.documents:
        issued_at = f"{document.issued_at:%Y-%m-%d %H:%M}"
        say(CommandsMsg.RECORD_OWED, number=document.number, issued_at=issued_at, next_step=document.remedy)
    if missing.count > len(missing.documents):
        say(CommandsMsg.MORE_RECORDS_OWED)
    return False


_OWING_NONE = {
    "chosen": CommandsMsg.OWING_NONE_CHOSEN,
    "no_tax_id": CommandsMsg.OWING_NONE_NO_TAX_ID,
    "no_channel": CommandsMsg.OWING_NONE_NO_CHANNEL,
    "earlier_version": CommandsMsg.OWING_NONE_EARLIER_VERSION,
}


async def _numbers(ctx: Context) -> list[str]:
    """Installation numbers of the chains with records in this server's environment, the oldest first."""
    overview = await verification.overview(ctx)
    return [
        chain.installation_number
        for chain in reversed(overview.chains)
        if chain.environment == overview.environment and chain.positions
    ]


async def _verify(ctx: Context, stretch: Stretch) -> bool:
    """Verify a stretch of one chain and print the verdict; return True when the chain holds."""
    verdict = await verification.verify(ctx, stretch, _ProgressLine())
    verified = text(
        CommandsMsg.VERIFIED,
        installation=verdict.installation_number,
        first=verdict.first_position,
        last=verdict.last_position,
        count=verdict.records,
    )
    first = verdict.first_break
    if first is None:
        say(CommandsMsg.CHAIN_HOLDS, verified=verified)
        return True
    say(CommandsMsg.CHAIN_BROKEN, verified=verified, count=verdict.anomalies)
    say(CommandsMsg.BREAK, position=first.position, kind=first.kind, break_code=first.code, message=first.message)
    return False


class _ProgressLine:
    """The number of records verified so far, on stderr while it is a terminal."""

    def __init__(self) -> None:
        self._records = 0

    def __call__(self, more: int) -> None:
        self._records += more
        if sys.stderr.isatty():
            line = text(CommandsMsg.RECORDS_VERIFIED, count=self._records).in_language(operators_language())
            typer.echo(f"{line}\r", err=True, nl=False)


@verifactu.command("new-installation", cls=Command)
def new_installation(
    reason: Annotated[str, typer.Option("--reason", help="The reason, which is stored with the chain that ends")],
    tax_id: TaxId = None,
    account: AccountId = None,
) -> None:
    """End the issuer's chain and begin another one under a new installation number.

    After a restored backup this happens by itself, where the server can notice it. Waiting records are still sent.
    """

    async def work(ctx: Context) -> None:
        chain = await verification.begin_anew(ctx, reason)
        say(CommandsMsg.INSTALLATION_BEGINS, issuer=chain.issuer_tax_id, installation=chain.installation_number)

    run_in_account(Chosen(tax_id, account), work)


@verifactu.command(cls=Command)
def export(
    first: Annotated[datetime, typer.Option("--from", formats=["%Y-%m-%d"], help="First day of generation")],
    last: Annotated[datetime, typer.Option("--to", formats=["%Y-%m-%d"], help="Last day")],
    output: Annotated[Path, typer.Option("--output", help="A directory that does not exist yet, or a new .zip")],
    tax_id: TaxId = None,
    account: AccountId = None,
) -> None:
    """Write all records and events of a period with their exact bytes, and the correspondence with the authority.

    A manifest has the SHA-256 of each file. docs/verify_export.py checks it without this program. Nothing is removed
    from the database. Only the user who runs this can read the files.
    """
    if output.exists():
        say(CommandsMsg.OUTPUT_EXISTS, err=True, output=output)
        raise typer.Exit(WRONG_USE)

    async def work(ctx: Context) -> None:
        exported = await exports.export(ctx, exports.ExportPeriod(first.date(), last.date()), most=None)
        await (_write_archive if output.suffix == ".zip" else _write_directory)(exported, output)
        if exported.events:
            records = text(CountedMsg.RECORDS, count=exported.records)
            events = text(CountedMsg.EVENTS, count=exported.events)
            say(CommandsMsg.EXPORTED_WITH_EVENTS, records=records, events=events, output=output)
        else:
            say(CommandsMsg.EXPORTED, records=exported.records, output=output)

    run_in_account(Chosen(tax_id, account), work)


async def _write_archive(exported: exports.Export, output: Path) -> None:
    """Write a ZIP archive, which exists only once it is complete."""
    with private_files.writing(output) as file:
        async for piece in exports.zipped(exported.files):
            file.write(piece)


async def _write_directory(exported: exports.Export, output: Path) -> None:
    async for name, content in exported.files:
        path = output / name
        private_files.make_directory(path.parent)
        private_files.write(path, content)


class Form(StrEnum):
    """Format of a printed statement."""

    TEXT = "text"
    HTML = "html"
    JSON = "json"


@verifactu.command(cls=Command)
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


@verifactu.command(cls=Command)
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


@verifactu.command("test-connection", cls=Command)
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
