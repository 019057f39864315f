"""Confirmation of calls that a person has to agree to: the gate stores a proposal, and this asks about it.

A client that declares elicitation is asked by the protocol (revision 2026-07-28, where the question is an answer and
needs no session). Any other client gets the summary with a token, and repeats the call with `confirmation_token`. What
is approved in the web app only has no token: the client gets the summary and a link.
"""

from dataclasses import dataclass
from typing import Any, Literal

from mcp.types import (
    CallToolRequestParams,
    ClientCapabilities,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from pydantic import Field

from ledgerkit.core.platform.api_types.wire import StoredResult, Timestamp, Wire
from ledgerkit.core.platform.approvals.api import Approval
from ledgerkit.core.platform.request.acts import Agreement
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.proposals import ProposedError
from ledgerkit.core.platform.request.texts import ConfirmationMsg
from ledgerkit.mcp_server.messages import McpMsg
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
    """Preview of a call that has done nothing yet, with the token that confirms it within fifteen minutes.

    `question` is the text that the person reads, in their language. `answer` is what the call would answer; it is null
    where a step that the dry run leaves out decides it.
    """

    confirmation_required: Literal[True] = True
    confirmation_token: str
    expires_at: Timestamp
    message: str
    question: str
    answer: StoredResult | None
    writes: list[PlannedChange]
    left_out: list[str]


class ProposalMade(Wire):
    """A call that has become a proposal: a person approves it in the web app, at `url`."""

    proposed: Literal[True] = True
    approval_id: str
    status: str
    summary: str
    url: str
    expires_at: Timestamp
    message: str


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


def agreement(client: Conversation) -> Agreement:
    """Return the token that the person has agreed by; none where they are asked first.

    Raises Conflict CONFIRMATION_DECLINED.
    """
    if client.token is None or (client.can_elicit and client.reply is None):
        return Agreement()
    if client.can_elicit and client.reply is not None:
        agrees = client.reply.action == "accept" and (client.reply.content or {}).get(_QUESTION) is True
        if not agrees:
            raise Conflict(ConfirmationMsg.DECLINED, code=Code.CONFIRMATION_DECLINED)
    return Agreement(client.token)


def asked(ctx: Context, proposed: ProposedError, client: Conversation) -> Json | InputRequiredResult:
    """Return the question about a proposal: the JSON of a ConfirmationRequest or of a ProposalMade.

    A client that can ask its user gets an InputRequiredResult.
    """
    proposal = proposed.approval
    assert isinstance(proposal, Approval)  # noqa: S101 - ours: the desk stores nothing else
    language = proposal.language
    question = "\n".join(proposal.summary)
    if proposed.token is None:
        answer = ProposalMade(
            approval_id=proposal.id,
            status=proposal.status,
            summary=question,
            url=f"{ctx.settings.public_url}/approve/{proposal.id}",
            expires_at=proposal.expires_at,
            message=text(McpMsg.PROPOSED).in_language(language),
        )
        return answer.model_dump(mode="json", by_alias=True)
    if client.can_elicit:
        return _elicitation(question, language, proposed.token)
    request = ConfirmationRequest(
        confirmation_token=proposed.token,
        expires_at=proposal.expires_at,
        message=text(McpMsg.CONFIRMATION_ASKED).in_language(language),
        question=question,
        answer=proposal.preview["answer"],
        writes=[
            PlannedChange(
                action=entry["action"], record=entry["entityType"], label=entry["entityLabel"], changes=entry["changes"]
            )
            for entry in proposal.preview["writes"]
        ],
        left_out=proposal.preview["leftOut"],
    )
    return request.model_dump(mode="json", by_alias=True)


def _elicitation(question: str, language: str, token: str) -> InputRequiredResult:
    """Return the question of the protocol, which the client's user answers with yes or no."""
    answer = {"type": "boolean", "title": text(McpMsg.CONFIRMATION_ANSWER).in_language(language)}
    schema = {"type": "object", "properties": {_QUESTION: answer}, "required": [_QUESTION]}
    params = ElicitRequestFormParams(message=question, requested_schema=schema)
    return InputRequiredResult(input_requests={_QUESTION: ElicitRequest(params=params)}, request_state=token)
