"""Prompts for recurring work in the caller's language, and completions of their arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, Completion, GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from ledgerkit import clock
from ledgerkit.core.platform.api_types.validation import printable
from ledgerkit.core.platform.request.context import Context
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.texts import MessageId, text

QUARTERS = ("1", "2", "3", "4")
MONTHS = tuple(str(month) for month in range(1, 13))
_YEARS = 5
"""Number of years that a completion proposes, the current one first."""

_LONGEST = 200
"""Most characters of an argument in free text."""


@dataclass(frozen=True)
class Work:
    """A prompt: its name, title, text and arguments."""

    name: str
    title: MessageId
    words: MessageId
    arguments: Sequence[str] = ()


PROMPTS: Mapping[str, Work] = {
    work.name: work
    for work in (
        Work("chase_overdue_invoices", McpMsg.PROMPT_CHASE_TITLE, McpMsg.PROMPT_CHASE, ("client",)),
        Work("first_setup", McpMsg.PROMPT_SETUP_TITLE, McpMsg.PROMPT_SETUP),
        Work("month_end_close", McpMsg.PROMPT_MONTH_TITLE, McpMsg.PROMPT_MONTH, ("month", "year")),
        Work("quarterly_vat_review", McpMsg.PROMPT_VAT_TITLE, McpMsg.PROMPT_VAT, ("quarter", "year")),
    )
}


def listing(ctx: Context) -> list[Prompt]:
    """Return all prompts with titles in the caller's language. Every argument is optional."""
    return [
        Prompt(
            name=work.name,
            title=_say(ctx, work.title),
            description=_say(ctx, work.title),
            arguments=[PromptArgument(name=name, required=False) for name in work.arguments],
        )
        for work in PROMPTS.values()
    ]


def prompt(ctx: Context, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Return a prompt in the caller's language, for the current quarter or month unless `arguments` name another.

    Raises MCPError -32602 for an unknown prompt or argument, or an invalid value.
    """
    work = PROMPTS.get(name)
    if work is None:
        raise _refused(ctx, McpMsg.PROMPT_UNKNOWN, name=printable(name), prompts=", ".join(PROMPTS))
    values = _values(ctx)
    for argument, value in arguments.items():
        if argument not in work.arguments or not _makes_sense(ctx, argument, value):
            raise _refused(ctx, McpMsg.PROMPT_ARGUMENT, name=printable(argument), arguments=", ".join(work.arguments))
        values[argument] = value
    words = text(work.words, **{argument: values[argument] for argument in work.arguments})
    content = TextContent(type="text", text=words.in_language(ctx.request_metadata.language))
    return GetPromptResult(description=_say(ctx, work.title), messages=[PromptMessage(role="user", content=content)])


def completion(ctx: Context, argument: str, beginning: str) -> Completion:
    """Return the values of a prompt's argument that start with `beginning`; none for an argument in free text."""
    values = [value for value in _choices(ctx).get(argument, ()) if value.startswith(beginning)]
    return Completion(values=values, total=len(values), has_more=False)


def _values(ctx: Context) -> dict[str, str]:
    today = ctx.account.today()
    return {
        "quarter": str((today.month + 2) // 3),
        "month": str(today.month),
        "year": str(today.year),
        "client": _say(ctx, McpMsg.PROMPT_ALL_CLIENTS),
    }


def _choices(ctx: Context) -> Mapping[str, Sequence[str]]:
    year = clock.today(ctx.account.time_zone).year
    return {"quarter": QUARTERS, "month": MONTHS, "year": [str(year - back) for back in range(_YEARS)]}


def _makes_sense(ctx: Context, argument: str, value: str) -> bool:
    if argument == "year":
        return value.isascii() and value.isdigit() and len(value) == 4
    choices = _choices(ctx).get(argument)
    return value in choices if choices else 0 < len(value) <= _LONGEST and value.isprintable()


def _say(ctx: Context, message: MessageId) -> str:
    return text(message).in_language(ctx.request_metadata.language)


def _refused(ctx: Context, message: MessageId, **values: str) -> MCPError:
    return MCPError(INVALID_PARAMS, text(message, **values).in_language(ctx.request_metadata.language))
