"""`ledgerkit ai ...`: packs of AI actions, and what reads documents, for the operator of the server."""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

import typer

from ledgerkit.cli.help import Command, Group
from ledgerkit.commands.configuring import quietly_configured
from ledgerkit.commands.language import Sentences, operators_language, say
from ledgerkit.commands.messages import CommandsMsg
from ledgerkit.commands.running import NOT_DONE, NOT_RIGHT, WRONG_USE, run
from ledgerkit.core.platform.ai.balance import ledger
from ledgerkit.core.platform.ai.model import ModelClient, ModelFailure
from ledgerkit.core.platform.ai.model.operations import AMOUNT, reads_images, sample_picture
from ledgerkit.core.platform.confined.lanes import BusyError, CannotStartError
from ledgerkit.core.platform.confined.process import ProcessDiedError, TimeLimitError
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.accounts.profiles import OwnedAccountRow
from ledgerkit.core.purchases.reading.ocr.recogniser import Recogniser, UnreadablePageError
from ledgerkit.problems import Problem
from ledgerkit.runtime import commanding
from ledgerkit.settings import LogLevel, Settings

MODELS_SHOWN = 10

ai = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="AI actions: packs for accounts, and a test of the model.\n\nThey work beside a running `serve` and alone. "
    "Exit codes: 0 done; 1 done, and something is not right; 2 wrong use; 3 could not be done; "
    "69 the database is away; 78 something has to be configured first.",
)


@ai.command(cls=Command)
def grant(
    account: Annotated[str, typer.Argument(help="The account's id, or the e-mail address of its owner")],
    actions: Annotated[int, typer.Argument(min=1, max=ledger.MOST_ACTIONS, help="Number of AI actions")],
    reference: Annotated[
        str | None,
        typer.Option("--reference", help="Name of the payment: it is granted once", show_default=False),
    ] = None,
) -> None:
    """Give an account a pack of AI actions, which does not expire."""
    settings = quietly_configured(LogLevel.ERROR)

    async def work() -> None:
        async with commanding(settings) as kernel:
            chosen = _only(account, await accounts.owned(kernel, account))
            try:
                ctx = await accounts.system_context(kernel, chosen.account_id)
                result = await ledger.grant(ctx, actions, reference)
            except Problem as problem:
                typer.echo(Sentences(problem.text).in_language(operators_language()), err=True)
                raise typer.Exit(NOT_DONE) from None
        message = CommandsMsg.AI_GRANTED if result.is_new else CommandsMsg.AI_GRANTED_BEFORE
        say(message, actions=result.actions, account=chosen.name, id=chosen.account_id, left=result.left)

    run(work())


@ai.command(cls=Command)
def test() -> None:
    """Say what reads documents here, a model or OCR, and try it.

    A model is given a picture with an amount. Ends with 1 when neither is there, or what is there does not work.
    """
    settings = quietly_configured(LogLevel.ERROR)
    work = _try_model(settings) if ModelClient(settings).configured else _try_ocr()
    run(work)


async def _try_model(settings: Settings) -> None:
    client = ModelClient(settings)
    try:
        models = await client.models()
        say(CommandsMsg.AI_MODELS, count=len(models), models=", ".join(models[:MODELS_SHOWN]))
        is_right = await reads_images(client)
    except ModelFailure as failure:
        _say_failure(failure)
        raise typer.Exit(NOT_RIGHT) from None
    finally:
        await client.stop()
    say(CommandsMsg.AI_MODEL_READS if is_right else CommandsMsg.AI_MODEL_MISREADS, model=client.engine)
    if not is_right:
        raise typer.Exit(NOT_RIGHT)


def _say_failure(failure: ModelFailure) -> None:
    reason = CommandsMsg(f"commands.ai_failure_{failure.kind.value.replace('-', '_')}")
    say(CommandsMsg.AI_MODEL_FAILED, err=True, reason=reason, detail=failure.detail)


async def _try_ocr() -> None:
    recogniser = Recogniser()
    if not recogniser.installed():
        say(CommandsMsg.AI_NOTHING, err=True)
        raise typer.Exit(NOT_RIGHT)
    try:
        lines = await recogniser.lines(UUID(int=0), sample_picture())
    except (BusyError, CannotStartError, ProcessDiedError, TimeLimitError, UnreadablePageError) as error:
        say(CommandsMsg.AI_OCR_FAILED, err=True, reason=error or type(error).__name__)
        raise typer.Exit(NOT_RIGHT) from None
    finally:
        await recogniser.stop()
    if not any(str(AMOUNT) in line.text for line in lines):
        say(CommandsMsg.AI_OCR_FAILED, err=True, reason=" ".join(line.text for line in lines))
        raise typer.Exit(NOT_RIGHT)
    say(CommandsMsg.AI_OCR_LOADS)


def _only(typed: str, owned: Sequence[OwnedAccountRow]) -> OwnedAccountRow:
    """Return the only account; end with 2 where there is none or are several."""
    if len(owned) == 1:
        return owned[0]
    choices = "; ".join(f"{account.account_id} ({account.name})" for account in owned)
    if owned:
        say(CommandsMsg.AI_ACCOUNTS_SEVERAL, err=True, typed=typed, choices=choices)
    else:
        say(CommandsMsg.AI_ACCOUNT_UNKNOWN, err=True, typed=typed)
    raise typer.Exit(WRONG_USE)
