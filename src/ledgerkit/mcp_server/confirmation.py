"""Confirmation of calls that cannot be undone: a preview comes first, and the act when the user has agreed.

The preview is a dry run of the act itself. A client that declares elicitation is asked by the protocol (revision
2026-07-28, where the question is an answer and needs no session). Any other client gets the preview with a token, and
repeats the call with `confirmation_token`. Both use the same token (`core/platform/request/confirmations.py`).
"""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Literal, cast

from mcp.types import (
    CallToolRequestParams,
    ClientCapabilities,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from pydantic import Field

from ledgerkit.core.platform.activity import queries as activity_queries
from ledgerkit.core.platform.activity.api import ActivityLog
from ledgerkit.core.platform.api_types.wire import StoredResult, Timestamp, Wire
from ledgerkit.core.platform.request import confirmations, dry_run
from ledgerkit.core.platform.request.confirmations import Act
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.previews import Preview
from ledgerkit.core.platform.request.texts import ConfirmationMsg
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.questions import SEALING_ACTIONS, Asked, Rehearsal
from ledgerkit.problems import Code, Conflict
from ledgerkit.texts import text

Json = dict[str, Any]

TOKEN_ARGUMENT = "confirmation_token"  # noqa: S105 - the name of an argument
_QUESTION = "confirmation"
_ELICITATION_SINCE = "2026-07-28"
"""First revision in which a server without sessions can ask; revisions are dates, which sort as text."""


class PlannedChange(Wire):
    """One entry that the activity log would get."""

    action: str
    record: str = Field(description="Type of the record, as invoice")
    label: str | None
    changes: StoredResult


class ConfirmationRequest(Wire):
    """Preview of a call that has done nothing yet, with the token that confirms it within five minutes.

    `question` is the text that the person reads, in their language. `answer` is what the call would answer; it is null
    where a step that the dry run leaves out decides it.
    """

    confirmation_required: Literal[True] = True
    confirmation_token: str
    expires_at: Timestamp
    message: str
    question: str
    answer: dict[str, Any] | None
    writes: list[PlannedChange]
    left_out: list[str]


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """A client's means to confirm, and the token and the user's reply that it has sent."""

    can_elicit: bool = False
    token: str | None = None
    reply: ElicitResult | None = None


def conversation(
    params: CallToolRequestParams, capabilities: ClientCapabilities | None, protocol_version: str
) -> Conversation:
    """Return what a tool call says about its confirmation. `confirmation_token` takes precedence over a reply."""
    token = (params.arguments or {}).get(TOKEN_ARGUMENT)
    if isinstance(token, str):
        return Conversation(token=token)
    elicitation = None if capabilities is None else capabilities.elicitation
    # A bare `elicitation: {}` means forms, as before there were modes.
    fills_forms = elicitation is not None and (elicitation.form is not None or elicitation.url is None)
    reply = (params.input_responses or {}).get(_QUESTION)
    return Conversation(
        can_elicit=fills_forms and protocol_version >= _ELICITATION_SINCE,
        token=params.request_state,
        reply=reply if isinstance(reply, ElicitResult) else None,
    )


async def confirmed(
    ctx: Context,
    tool: tuple[str, Asked],
    arguments: Mapping[str, Any],
    run: Callable[[Context], Awaitable[Json]],
    client: Conversation,
    *,
    always: bool,
) -> Json | InputRequiredResult:
    """Return the answer of `run` if the call needs no confirmation or has one; else return the question.

    `tool` is its name and question. `arguments` are those that were sent; `confirmation_token` is not part of the act.
    `run` is the whole call: it is rehearsed first, then done once. With `always` (a destructive tool) the call needs a
    confirmation in any case; else only when the rehearsal numbers a document or makes a fiscal record. A repetition
    under a used idempotency key does nothing and needs no confirmation. The question is the JSON of a
    ConfirmationRequest, or an InputRequiredResult for a client that can ask its user.
    Raises what `run` raises; Conflict CONFIRMATION_DECLINED, _EXPIRED, _USED, _MISMATCH or _STALE.
    """
    name, question = tool
    plain_arguments = {key: value for key, value in arguments.items() if key != TOKEN_ARGUMENT}
    requested_act = confirmations.act(ctx, name, plain_arguments)
    token = _agreed_token(client)
    if token is not None:
        await confirmations.check_request(ctx, token, requested_act)
    rehearsal = Rehearsal(ctx, question, run)
    preview, is_repetition = await _rehearsed(ctx, rehearsal.act)
    if is_repetition or not (always or seals(preview)):
        return await run(ctx)
    act = replace(requested_act, preview=await _digest(ctx, preview))
    if token is None:
        return _question(ctx, rehearsal, act, preview, client)
    await confirmations.use(ctx, token, act)
    return await run(ctx)


def seals(preview: Preview[Json]) -> bool:
    """Return True when the act would number a document or make a fiscal record."""
    return any(entry.action in SEALING_ACTIONS for entry in _entries(preview))


def _agreed_token(client: Conversation) -> str | None:
    """Return the token; None when the client must be asked first. Raises Conflict CONFIRMATION_DECLINED."""
    if client.token is None or (client.can_elicit and client.reply is None):
        return None
    if client.can_elicit and client.reply is not None:
        agrees = client.reply.action == "accept" and (client.reply.content or {}).get(_QUESTION) is True
        if not agrees:
            raise Conflict(ConfirmationMsg.DECLINED, code=Code.CONFIRMATION_DECLINED)
    return client.token


async def _rehearsed(ctx: Context, run: Callable[[Context], Awaitable[Json]]) -> tuple[Preview[Json], bool]:
    """Return the preview of a call, and whether it repeats one that was done under its idempotency key."""
    dry_metadata = replace(ctx.request_metadata, headers={})
    preview = await dry_run.rehearse(replace(ctx, request_metadata=dry_metadata), run)
    if preview.problem is not None:  # the refusal has left something done, so it is shown like any other answer
        preview = replace(preview, answer=preview.problem.body(language=dry_metadata.language))
    return preview, dry_metadata.replayed


def _entries(preview: Preview[Json]) -> Sequence[ActivityLog]:
    return cast("Sequence[ActivityLog]", preview.writes)


# ---------------------------------------------------------------- what the preview has shown


_CHANGING = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # ids
    r"|\b[0-9a-f]{32}\b"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|[+-]\d\d:\d\d)"  # moments
    r"|[A-Za-z0-9_+/=-]{36,}",  # fingerprints, tokens and pictures, which contain a moment or random data
)
"""Parts of texts that differ in any two runs of the same act."""


async def _digest(ctx: Context, preview: Preview[Json]) -> str:
    """Return a SHA-256 digest (hex) of the answer, log entries and record versions, without new ids and moments."""
    entries = [entry.model_dump(mode="json", exclude={"id", "created_at"}) for entry in _entries(preview)]
    versions = await activity_queries.versions(ctx, _entries(preview))
    content = json.dumps([_lasting(preview.answer), _lasting(entries), versions], sort_keys=True, default=str)
    return sha256(content.encode()).hexdigest()


def _lasting(value: object) -> object:
    """Return a value without the parts that differ in any two runs."""
    if isinstance(value, Mapping):
        return {name: _lasting(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_lasting(member) for member in value]
    return _CHANGING.sub("", value) if isinstance(value, str) else value


# ---------------------------------------------------------------- the question


def _question(
    ctx: Context, rehearsal: Rehearsal, act: Act, preview: Preview[Json], client: Conversation
) -> Json | InputRequiredResult:
    assert rehearsal.question is not None  # noqa: S101 - our own: a rehearsal that ends well has been looked at
    confirmation, language = confirmations.issue(ctx, act), rehearsal.language
    question = "\n".join(rehearsal.question.lines(language))
    if client.can_elicit:
        return _elicitation(question, language, confirmation.token)
    request = ConfirmationRequest(
        confirmation_token=confirmation.token,
        expires_at=confirmation.expires_at,
        message=text(McpMsg.CONFIRMATION_ASKED).in_language(language),
        question=question,
        answer=preview.answer,
        writes=[
            PlannedChange(
                action=entry.action, record=entry.entity_type, label=entry.entity_label, changes=entry.changes
            )
            for entry in _entries(preview)
        ],
        left_out=[text(step).in_language(language) for step in preview.left_out],
    )
    return request.model_dump(mode="json", by_alias=True)


def _elicitation(question: str, language: str, token: str) -> InputRequiredResult:
    """Return the question of the protocol, which the client's user answers with yes or no."""
    answer = {"type": "boolean", "title": text(McpMsg.CONFIRMATION_ANSWER).in_language(language)}
    schema = {"type": "object", "properties": {_QUESTION: answer}, "required": [_QUESTION]}
    params = ElicitRequestFormParams(message=question, requested_schema=schema)
    return InputRequiredResult(input_requests={_QUESTION: ElicitRequest(params=params)}, request_state=token)
