"""Confirmation of what cannot be undone: a preview first, and the act when the user has agreed to it.

The preview is a dry run of the act itself. A client that declares elicitation is asked by the protocol (revision
2026-07-28, where the question is an answer and needs no session); any other gets the preview with a token, and calls
again with `confirmation_token`. Both use the same token (`core/platform/request/confirmations.py`).
"""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Literal, cast

from mcp.server import ServerRequestContext
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

    `question` is what the person is to read, in their language. `answer` is what the call would answer, null where a
    step that is left out decides it.
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
    """Means of the client to confirm, and what it has brought along: a token, and the user's reply if it was asked."""

    can_elicit: bool = False
    token: str | None = None
    reply: ElicitResult | None = None


def conversation(ctx: ServerRequestContext, params: CallToolRequestParams) -> Conversation:
    """Return what a call of a tool says about confirmation, of a call that the SDK has dispatched."""
    return conversation_by(params, ctx.session.client_capabilities, ctx.protocol_version)


def conversation_by(
    params: CallToolRequestParams, capabilities: ClientCapabilities | None, protocol_version: str
) -> Conversation:
    """Return what a call of a tool says about confirmation; `confirmation_token` comes before a reply."""
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
    """Return the answer of `run` when it may be done now, else the question whether it may.

    `tool` is name and question, `arguments` are those sent, of which `confirmation_token` is not looked at. `run` is
    the whole call and is done once, after it was rehearsed. With `always` it is confirmed in any case (a destructive
    tool); else only when the rehearsal shows that a document would be numbered or a fiscal record made. A repetition
    under a used idempotency key does nothing and needs no confirmation. The question is the JSON of a
    ConfirmationRequest, or an InputRequiredResult for a client that can ask its user.
    Raises what `run` refuses with; Conflict CONFIRMATION_DECLINED, _EXPIRED, _USED, _MISMATCH or _STALE.
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
    """Return the token, None when the client has to be asked. Raises Conflict CONFIRMATION_DECLINED."""
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
    if preview.problem is not None:  # a result that leaves something done, to be shown like any other
        preview = replace(preview, answer=preview.problem.body(language=dry_metadata.language))
    return preview, dry_metadata.replayed


def _entries(preview: Preview[Json]) -> Sequence[ActivityLog]:
    return cast("Sequence[ActivityLog]", preview.writes)


# ---------------------------------------------------------------- what the preview has shown


_CHANGING = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # ids
    r"|\b[0-9a-f]{32}\b"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|[+-]\d\d:\d\d)"  # moments
    r"|[A-Za-z0-9_+/=-]{36,}",  # fingerprints, tokens and pictures, which contain a moment or chance
)
"""Parts of texts that differ in any two runs of the same act."""


async def _digest(ctx: Context, preview: Preview[Json]) -> str:
    """Return a digest of the answer, the entries and the versions of the records, without new ids and moments."""
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
