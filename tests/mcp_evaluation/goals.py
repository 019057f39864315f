"""Goals: the same tasks in a person's words, given to a model with the tools, and judged by what is stored."""

import json
from dataclasses import dataclass, field
from typing import Any

import httpx2
from mcp import Client, MCPError
from openai import APIStatusError, AsyncOpenAI
from traces import Player, resolved

from ledgerkit.core.platform.ai.model.client import addresses
from ledgerkit.settings import Settings
from mcp_evaluation.everyday import Goal

Json = dict[str, Any]

MOST_TURNS = 25
"""Answers of the model to one goal; the longest golden trace has seven calls."""
NO_MODEL = "no model: set LEDGERKIT_AI_BASE_URL (and LEDGERKIT_AI_API_KEY, LEDGERKIT_AI_MODEL where it needs them)"

_ROLE = (
    "You work for a small business in Spain. Do what the person asks with the tools; nobody else does it for you. "
    "Do not ask for what the tools can tell you. Say so in one sentence when it is done, or why it cannot be. "
    "Today is {today}."
)
_AGREES, _DECLINES = "Yes, I agree: do it.", "No, do not do it."


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Result of one goal; `reason` says why it was not reached."""

    is_reached: bool
    turns: int
    tokens: int
    reason: str = ""


@dataclass(frozen=True)
class Model:
    """The model that the settings name, on a server that answers."""

    sdk: AsyncOpenAI
    name: str


async def connected_model(settings: Settings) -> Model:
    """Return the model that the settings name, or the first that its server offers. Raises openai.OpenAIError."""
    key = settings.ai_api_key.get_secret_value() if settings.ai_api_key else "not-needed"
    *others, last = addresses(settings.ai_base_url)
    for address in (*others, last):
        http = httpx2.AsyncClient(timeout=settings.ai_timeout)
        sdk = AsyncOpenAI(api_key=key, base_url=address, timeout=settings.ai_timeout, http_client=http)
        try:
            offered = [model.id async for model in sdk.models.list()]
        except APIStatusError:
            await sdk.close()
            if address == last:
                raise
        else:
            return Model(sdk, settings.ai_model or offered[0])
    raise AssertionError("every address either answers or raises")


@dataclass
class Pursuit:
    """One goal given to a model on behalf of somebody new."""

    model: Model
    player: Player | Goal
    turns: int = 0
    tokens: int = 0
    conversation: list[Json] = field(default_factory=list)
    answers: dict[str, list[Any]] = field(default_factory=dict)
    awaits_agreement: bool = False

    async def outcome(self) -> Outcome:
        """Let the model work until it stops or has had all its turns, and judge what is stored then."""
        agent_api = await self.player.prepared()
        async with self.player.site.agent(agent_api).connected("legacy") as client:
            has_stopped = await self._work(client)
        self._name_answers()
        try:
            await self.player.judge()
        except (AssertionError, LookupError, TypeError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            return Outcome(is_reached=False, turns=self.turns, tokens=self.tokens, reason=reason[:120])
        reason = "" if has_stopped else "did not come to an end"
        return Outcome(is_reached=has_stopped, turns=self.turns, tokens=self.tokens, reason=reason)

    async def _work(self, client: Client) -> bool:
        """Return True when the model says that it is done, False when its turns are over."""
        today = self.player.names["today"]
        rules = f"{_ROLE.format(today=today)}\n\n{client.instructions}"
        goal = resolved(self.player.trace["goal"], self.player.names)
        self.conversation = [{"role": "system", "content": rules}, {"role": "user", "content": goal}]
        tools = [_as_function(tool) for tool in (await client.list_tools()).tools]
        while self.turns < MOST_TURNS:
            message = await self._turn(tools)
            for call in message.tool_calls or ():
                text = await self._call(client, call.function.name, call.function.arguments)
                self.conversation.append({"role": "tool", "tool_call_id": call.id, "content": text})
            if not message.tool_calls:
                if not self.awaits_agreement:
                    return True
                self._reply()
        return False

    async def _turn(self, tools: list[Json]) -> Any:
        completion: Any = await self.model.sdk.chat.completions.create(
            model=self.model.name, messages=self.conversation, tools=tools
        )
        self.turns += 1
        self.tokens += completion.usage.total_tokens if completion.usage else 0
        message = completion.choices[0].message
        self.conversation.append(message.model_dump(exclude_none=True))
        return message

    async def _call(self, client: Client, tool: str, written_arguments: str) -> str:
        """Call a tool as the model wrote it, and return what the model reads of the answer."""
        try:
            arguments = json.loads(written_arguments or "{}")
            result = await client.call_tool(tool, arguments)
        except (ValueError, MCPError) as error:
            return f"The call is not valid: {error}"
        body = result.structured_content
        if not result.is_error:
            self.awaits_agreement = bool(body.get("confirmationRequired"))
            if not self.awaits_agreement:
                self.answers.setdefault(tool, []).append(body)
        return str(result.content[0].text)

    def _reply(self) -> None:
        """Answer the model's question about a preview as the person of this task would."""
        declines = any(step.get("unconfirmed") for step in self.player.trace["calls"])
        self.conversation.append({"role": "user", "content": _DECLINES if declines else _AGREES})
        self.awaits_agreement = False

    def _name_answers(self) -> None:
        """Give the answers the names that the trace gives them, in the order of the calls of each tool."""
        used: dict[str, int] = {}
        for step in self.player.trace["calls"]:
            answers = self.answers.get(step["tool"], [])
            if "as" not in step or not answers:
                continue
            position = used.get(step["tool"], 0)
            self.player.names[step["as"]] = answers[min(position, len(answers) - 1)]
            used[step["tool"]] = position + 1


def _as_function(tool: Any) -> Json:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": function}
