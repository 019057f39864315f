"""Refuse tool calls that the credentials do not cover before they are dispatched, with a challenge for more scopes.

An OAuth client then asks its user for them. An API key cannot ask for scopes: its refusal is a problem in the tool's
result, which the model reads. The operation itself refuses what the role does not grant, and what depends on the record
(a payment of a draft seals it); that is a problem in the tool's result, too.
"""

from collections.abc import Collection, Iterator

from pydantic_core import from_json

from ledgerkit.core.platform.request.context import Actor
from ledgerkit.core.platform.request.scopes import Scope, scopes_within
from ledgerkit.mcp_server import credentials
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.tools import TOOLS, can_step_up, is_proposed, required_scope
from ledgerkit.problems import OutOfScope
from ledgerkit.settings import Settings


def check(settings: Settings, actor: Actor, body: bytes) -> None:
    """Raise OutOfScope when `body` calls a tool whose scope the actor's access token does not cover."""
    covered = scopes_within(actor.scopes)
    if len(covered) == len(Scope) or not can_step_up(actor):
        return
    missing = {
        name: scope
        for name in _called_tools(body)
        if (scope := required_scope(name)) is not None and scope not in covered and not is_proposed(TOOLS[name], actor)
    }
    if missing:
        raise _out_of_scope(settings, covered, missing)


def _called_tools(body: bytes) -> Iterator[str]:
    """Yield the names of the tools that a JSON-RPC message or batch calls; none if it cannot be read."""
    try:
        content = from_json(body)
    except ValueError:
        return
    for message in content if isinstance(content, list) else [content]:
        match message:
            case {"method": "tools/call", "params": {"name": str(name)}}:
                yield name


def _out_of_scope(settings: Settings, covered: Collection[Scope], missing: dict[str, Scope]) -> OutOfScope:
    name, scope = next(iter(missing.items()))
    needed = [scope for scope in Scope if scope in covered or scope in missing.values()]
    return OutOfScope(
        McpMsg.SCOPE_MISSING,
        headers=credentials.scopes_challenge(settings, needed),
        extra={"requiredScope": scope.value},
        tool=name,
        scope=scope,
    )
