"""`ledgerkit verifactu ...`: chains, records and their authority, for who runs the server."""

import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ledgerkit import private_files
from ledgerkit.commands import papers
from ledgerkit.commands.keeping import keeping
from ledgerkit.commands.running import NOT_RIGHT, WRONG_USE, AccountId, Chosen, TaxId, run_in_account
from ledgerkit.commands.sending import sending
from ledgerkit.core.einvoice.chain.schemas import Stretch, UnrecordedDocuments
from ledgerkit.core.einvoice.inspection import export as exports
from ledgerkit.core.einvoice.inspection import export_files, unrecorded, verification
from ledgerkit.core.request.context import Context

SUMMARY_CHARACTERS = 200


class _WholeSummaries(TyperGroup):
    """A group whose list has each command's first sentence, over several lines where it is long."""

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
    help="Chains of fiscal records: check, export, and what belongs around them.\n\nThey work beside a running `serve` "
    "and alone. Exit codes: 0 done; 1 done, and something is not right; 2 wrong use; 3 could not be done; "
    "69 the database is away; 78 something has to be configured first.",
)
verifactu.add_typer(sending)
verifactu.add_typer(keeping)


First = Annotated[int, typer.Option("--from", min=1, help="Position of the first record")]
Last = Annotated[int | None, typer.Option("--to", min=1, help="Position of the last record", show_default=False)]
Installation = Annotated[
    str | None, typer.Option("--installation", help="Installation number; default: every chain", show_default=False)
]


@verifactu.command()
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
        verdicts = [await _verified(ctx, Stretch(installation_number=one, first=first, last=last)) for one in numbers]
        if not verdicts:
            typer.echo("There are no records yet.")
        nothing_owed = _tell_unrecorded(await unrecorded.documents(ctx))
        if not all([*verdicts, nothing_owed]):
            raise typer.Exit(NOT_RIGHT)

    run_in_account(Chosen(tax_id, account), work)


def _tell_unrecorded(found: UnrecordedDocuments) -> bool:
    """Say which numbered documents have no record; whether none of them owes one."""
    for reason, count in found.others.items():
        typer.echo(f"Issued without a record {_OWING_NONE[reason]}: {count}. Nothing is to be done.")
    if not found.count:
        return True
    typer.echo(f"Numbered without the record that is owed: {found.count}.")
    for one in found.documents:
        typer.echo(f"  {one.number}, issued {one.issued_at:%Y-%m-%d %H:%M}. {one.remedy}")
    if found.count > len(found.documents):
        typer.echo("  The next run names the others, once these have their records.")
    return False


_OWING_NONE = {
    "chosen": "while e-invoicing was off",
    "no_tax_id": "before the issuer had a tax identifier",
    "no_channel": "in a country without e-invoicing here",
    "earlier_version": "by an earlier version, before the first record",
}


async def _numbers(ctx: Context) -> list[str]:
    """Of the chains with records where this server reports to, the oldest first."""
    found = await verification.overview(ctx)
    here = [one for one in reversed(found.chains) if one.environment == found.environment and one.positions]
    return [one.installation_number for one in here]


async def _verified(ctx: Context, stretch: Stretch) -> bool:
    """Say how one chain stands; and how far the walk has come."""
    found = await verification.verify(ctx, stretch, _Counted())
    where = f"Installation {found.installation_number}, positions {found.first_position} to {found.last_position}"
    if found.first_break is None:
        typer.echo(f"{where}: {found.records} records, and the chain holds.")
        return True
    broken = found.first_break
    typer.echo(f"{where}: {found.records} records, {found.anomalies} anomalies. First break:")
    typer.echo(f"  position {broken.position}, {broken.kind} (code {broken.code}): {broken.message}")
    return False


class _Counted:
    """Tells on stderr how far a walk has come, while somebody watches."""

    def __init__(self) -> None:
        self._walked = 0

    def __call__(self, more: int) -> None:
        self._walked += more
        if sys.stderr.isatty():
            typer.echo(f"{self._walked} records\r", err=True, nl=False)


@verifactu.command("new-installation")
def new_installation(
    reason: Annotated[str, typer.Option("--reason", help="Why: it is kept with the chain that ends")],
    tax_id: TaxId = None,
    account: AccountId = None,
) -> None:
    """End the issuer's chain and begin another one under a new installation number.

    After a backup was restored this is done by itself, where it can be noticed. What was not sent yet is still sent.
    """

    async def work(ctx: Context) -> None:
        begun = await verification.begin_anew(ctx, reason)
        typer.echo(f"The next record of {begun.issuer_tax_id} begins installation {begun.installation_number}.")

    run_in_account(Chosen(tax_id, account), work)


@verifactu.command()
def export(
    first: Annotated[datetime, typer.Option("--from", formats=["%Y-%m-%d"], help="First day on which it was made")],
    last: Annotated[datetime, typer.Option("--to", formats=["%Y-%m-%d"], help="Last day")],
    output: Annotated[Path, typer.Option("--output", help="A directory that does not exist yet, or a new .zip")],
    tax_id: TaxId = None,
    account: AccountId = None,
) -> None:
    """Write all records and events of a period, with their exact bytes, and what was said to and by the authority.

    A manifest has the SHA-256 of each file. docs/verify_export.py checks it without this program. Nothing leaves the
    store. Only the user who runs this can read what is written.
    """
    if output.exists():
        typer.echo(f"{output} exists already; name another one.", err=True)
        raise typer.Exit(WRONG_USE)

    async def work(ctx: Context) -> None:
        found = await exports.export(ctx, exports.ExportPeriod(first.date(), last.date()), most=None)
        await (_as_archive if output.suffix == ".zip" else _as_directory)(found, output)
        logged = f" and {found.events} events" if found.events else ""
        typer.echo(f"{found.records} records{logged} in {output}")

    run_in_account(Chosen(tax_id, account), work)


async def _as_archive(found: exports.Export, output: Path) -> None:
    """Complete, or not there."""
    with private_files.writing(output) as file:
        async for piece in export_files.zipped(found.files):
            file.write(piece)


async def _as_directory(found: exports.Export, output: Path) -> None:
    async for name, content in found.files:
        path = output / name
        private_files.make_directory(path.parent)
        private_files.write(path, content)


verifactu.command("declaration")(papers.declaration)
verifactu.command("test-connection")(papers.connection)
