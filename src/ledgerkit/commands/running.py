"""Frame of every command: its settings, its kernel, its account, and its exit code.

Exit codes: 0 done; 1 done, and what was looked for is not right; 2 wrong use (an unknown option or account);
3 it could not be done; 69 something that it needs is away, full or taken, and the same may succeed later; 78 something
that it needs has to be changed first. Whatever an operator can mend is said in one line on stderr.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any
from uuid import UUID

import typer
from uvicorn.loops.auto import auto_loop_factory

from ledgerkit.commands.configuring import quietly_configured
from ledgerkit.commands.language import Sentences, operators_language, say
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.core.platform.database.outages import is_full
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.accounts.profiles import IssuerRow
from ledgerkit.core.platform.request.context import Context, RequestMetadata
from ledgerkit.problems import Problem
from ledgerkit.runtime import commanding
from ledgerkit.settings import Settings
from ledgerkit.settings.start_errors import StartError, Unreachable

NOT_RIGHT = 1
WRONG_USE = 2
NOT_DONE = 3

TaxId = Annotated[str | None, typer.Option("--tax-id", help="The issuer's tax identifier (NIF)", show_default=False)]
AccountId = Annotated[
    UUID | None, typer.Option("--account", help="The account's id, where two share a NIF", show_default=False)
]
Work = Callable[[Context], Awaitable[None]]


@dataclass(frozen=True)
class Chosen:
    """Account of a command. With neither option, the only one that has a tax identifier."""

    tax_id: str | None
    account_id: UUID | None


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end; what keeps it from beginning is said in one line, and ends with the error's exit code."""
    try:
        with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
            runner.run(work)
    except StartError as error:
        typer.echo(" ".join(error.text.in_language(operators_language()).split()), err=True)
        raise typer.Exit(error.exit_code) from None
    except Exception as error:
        if not is_full(error):
            raise
        say(CommandsMsg.DISK_FULL, err=True, error=error)
        raise typer.Exit(Unreachable.exit_code) from None


def run_in_account(chosen: Chosen, work: Work) -> None:
    """Do `work` in the chosen account, beside a running server or with a PostgreSQL of its own.

    A `Problem` ends with 3 and its words; `typer.Exit` from within ends with its own code.
    """
    settings = quietly_configured()
    run(_worked(settings, chosen, work))


async def _worked(settings: Settings, chosen: Chosen, work: Work) -> None:
    async with commanding(settings) as kernel:
        issuer = _only(chosen, await accounts.issuers(kernel))
        try:
            ctx = await accounts.system_context(kernel, issuer.account_id)
            await work(replace(ctx, request_metadata=RequestMetadata(language=operators_language())))
        except Problem as problem:
            typer.echo(Sentences(problem.text).in_language(operators_language()), err=True)
            raise typer.Exit(NOT_DONE) from None


def _only(chosen: Chosen, issuers: Sequence[IssuerRow]) -> IssuerRow:
    """Ends with 2, naming the accounts there are, unless exactly one fits."""
    tax_id = _plain(chosen.tax_id) if chosen.tax_id else None
    fitting = [
        issuer
        for issuer in issuers
        if (tax_id is None or _plain(issuer.tax_id) == tax_id) and chosen.account_id in {None, issuer.account_id}
    ]
    if len(fitting) == 1:
        return fitting[0]
    message = CommandsMsg.ACCOUNTS_SEVERAL if fitting else CommandsMsg.ACCOUNTS_NONE
    choices = [
        f"--tax-id {issuer.tax_id} --account {issuer.account_id} ({issuer.name})"
        for issuer in (fitting or issuers)[:20]
    ]
    say(message, err=True, choices="; ".join(choices) or CommandsMsg.ACCOUNTS_WITHOUT_TAX_ID)
    raise typer.Exit(WRONG_USE)


def _plain(tax_id: str) -> str:
    return "".join(character for character in tax_id.upper() if character.isalnum())
