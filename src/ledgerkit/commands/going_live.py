"""`ledgerkit go-live`: set what was tried out aside, and begin real business with the number 1."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Annotated, Any

import typer

from ledgerkit.commands.configuring import quietly_configured
from ledgerkit.commands.language import Sentences, operators_language, say
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.commands.running import NOT_DONE, WRONG_USE, AccountId, TaxId, run
from ledgerkit.core.operation.going_live import operations as going_live
from ledgerkit.core.operation.going_live.api import GoLiveInput, GoLiveStatus
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.accounts import trials
from ledgerkit.core.platform.identity.accounts.trials import TriedAccountRow
from ledgerkit.core.platform.request.context import Context, Kernel, RequestMetadata
from ledgerkit.problems import Problem
from ledgerkit.runtime import commanding
from ledgerkit.settings import Settings
from ledgerkit.texts import text
from ledgerkit.texts.common import CountedMsg

Chosen = Sequence[tuple[TriedAccountRow, Context]]


def go_live(
    tax_id: TaxId = None,
    account: AccountId = None,
    keep_purchases: Annotated[
        bool, typer.Option("--keep-purchases", help="Expenses and supplier invoices were entered in earnest and stay")
    ] = False,
    even_incomplete: Annotated[
        bool, typer.Option("--even-incomplete", help="Accounts may lack data of their own; their first record needs it")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing")] = False,
) -> None:
    """Set what was tried out aside, and begin real business with the number 1.

    Without an option, in every account that has records of the sandbox or of a test authority, and of no other.
    Clients, vendors, catalog, teams, settings and keys stay. When anything is missing that production needs, in any of
    these accounts, all of it is listed and nothing is done.
    """
    settings = quietly_configured()
    data = GoLiveInput(keep_purchases=keep_purchases)

    async def work() -> None:
        async with _accounts(settings, tax_id, None if account is None else str(account)) as chosen:
            before = [await going_live.status(ctx, data) for _, ctx in chosen]
            lacking = [account.missing for account in before if not even_incomplete]
            for (tried, _), status in zip(chosen, before, strict=True):
                _tell(tried, status, missing=not even_incomplete, is_done=False)
            if any(lacking):
                say(CommandsMsg.GO_LIVE_NOT_DONE, err=True)
                raise typer.Exit(NOT_DONE)
            if not dry_run:
                await _do(chosen, data, even_incomplete=even_incomplete)

    run(work())


async def _do(chosen: Chosen, data: GoLiveInput, *, even_incomplete: bool) -> None:
    next_steps: list[str] = []
    for tried, ctx in chosen:
        status = await going_live.go_live(ctx, data, even_incomplete=even_incomplete)
        _tell(tried, status, missing=False, is_done=True)
        next_steps = status.next_steps
    for step in next_steps:
        typer.echo(step)


@asynccontextmanager
async def _accounts(settings: Settings, tax_id: str | None, account_id: str | None) -> AsyncIterator[Chosen]:
    """Give the chosen accounts; a `Problem` ends with 3 and its words."""
    async with commanding(settings) as kernel:
        try:
            yield [(account, await _context(kernel, account)) for account in await _chosen(kernel, tax_id, account_id)]
        except Problem as problem:
            typer.echo(Sentences(problem.text).in_language(operators_language()), err=True)
            for error in problem.errors:
                typer.echo(f"  {error.body(operators_language())['message']}", err=True)
            raise typer.Exit(NOT_DONE) from None


async def _chosen(kernel: Kernel, tax_id: str | None, account_id: str | None) -> Sequence[TriedAccountRow]:
    tried = await trials.tried_accounts(kernel)
    fitting = [
        account for account in tried if tax_id in {None, account.tax_id} and account_id in {None, str(account.id)}
    ]
    if fitting:
        return fitting
    if tried:
        names = "; ".join(f"--account {account.id} ({account.name}, {account.tax_id or '-'})" for account in tried)
        say(CommandsMsg.GO_LIVE_OTHERS, err=True, choices=names)
        raise typer.Exit(WRONG_USE)
    say(CommandsMsg.GO_LIVE_NOBODY)
    raise typer.Exit


async def _context(kernel: Kernel, tried: TriedAccountRow) -> Context:
    ctx = await accounts.system_context(kernel, tried.id)
    return replace(ctx, request_metadata=RequestMetadata(language=operators_language()))


def _tell(tried: TriedAccountRow, status: GoLiveStatus, *, missing: bool, is_done: bool) -> None:
    counts = {
        **status.set_aside.model_dump(),
        **status.kept.model_dump(include={"clients", "vendors", "catalog_items"}),
    }
    numbers: dict[str, Any] = {name: text(CountedMsg(f"counted.{name}"), count=count) for name, count in counts.items()}
    message = CommandsMsg.GO_LIVE_DONE if is_done else CommandsMsg.GO_LIVE_WOULD
    say(message, account=tried.name, tax_id=tried.tax_id or "-", archive=status.archive_id or "-", **numbers)
    if not is_done:
        for lack in status.missing if missing else ():
            say(CommandsMsg.GO_LIVE_MISSING, field=lack.field, lack=" ".join(filter(None, (lack.message, lack.remedy))))
        for note in status.notes:
            typer.echo(f"  {note}")
