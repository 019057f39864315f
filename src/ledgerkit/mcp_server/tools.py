"""All tools, and which of them a caller sees and may call."""

from collections.abc import Iterable
from dataclasses import replace

from ledgerkit.core.platform.request.context import Actor, Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.teams import operations as teams
from ledgerkit.mcp_server.catalogue import (
    catalog,
    clients,
    company,
    context,
    documents,
    einvoice,
    expenses,
    history,
    invoices,
    payables,
    pos,
    receivables,
    records,
    reports,
    tasks,
    taxes,
    team,
)
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.tool import Module, Tool
from ledgerkit.problems import Forbidden, OutOfScope

_MODULES = {
    Module.CORE: (
        *(clients, company, context, documents, einvoice, expenses, history, invoices, receivables, records),
        reports,
    ),
    Module.CATALOG: (catalog,),
    Module.PAYABLES: (payables,),
    Module.TASKS: (tasks,),
    Module.TAX: (taxes,),
    Module.TEAM: (team,),
    Module.POS: (pos,),
}
_ALL = (replace(tool, module=module) for module, files in _MODULES.items() for file in files for tool in file.TOOLS)

TOOLS: dict[str, Tool] = {tool.name: tool for tool in sorted(_ALL, key=lambda tool: tool.name)}
"""All tools by name, in the alphabetical order in which they are listed."""


def required_scope(name: str) -> Scope | None:
    """Return the scope that credentials need for the tool; None for a name that no tool has."""
    tool = TOOLS.get(name)
    return tool.scope if tool else None


def listed(ctx: Context) -> Iterable[Tool]:
    """Return the tools that the caller's role and modules open.

    Tools whose scope the credentials lack are listed for OAuth clients only: these can ask for more scopes (step-up),
    a key cannot.
    """
    areas = _open_areas(ctx)
    return [
        tool
        for tool in TOOLS.values()
        if _is_open(tool, areas)
        and _has_role(tool, ctx.actor)
        and (can_step_up(ctx.actor) or _has_scope(tool, ctx.actor))
    ]


def check(ctx: Context, tool: Tool) -> None:
    """Check that the caller may call the tool. Each operation checks its own permission again.

    Raises OutOfScope for a missing scope, Forbidden for a role or a module.
    """
    if not _has_scope(tool, ctx.actor):
        raise OutOfScope(
            McpMsg.SCOPE_MISSING, extra={"requiredScope": tool.scope.value}, tool=tool.name, scope=tool.scope.value
        )
    if not _has_role(tool, ctx.actor):
        ctx.require(tool.declared[0].permission)
    if tool.module is not Module.CORE and not _is_open(tool, _open_areas(ctx)):
        raise Forbidden(McpMsg.MODULE_CLOSED, extra={"requiredModule": tool.module.value}, module=tool.module.value)


def _open_areas(ctx: Context) -> set[str]:
    """Return the areas that the caller's role opens, whatever scopes the credentials have."""
    return set(teams.modules(replace(ctx, who=ctx.actor.unscoped)))


def _is_open(tool: Tool, areas: set[str]) -> bool:
    return tool.module is Module.CORE or not tool.module.areas.isdisjoint(areas)


def _has_role(tool: Tool, actor: Actor) -> bool:
    return any(operation.permission in actor.granted for operation in tool.deciding)


def _has_scope(tool: Tool, actor: Actor) -> bool:
    """Return True if the credentials cover the tool, or the client may propose what it does."""
    return tool.scope.permissions <= actor.scopes or is_proposed(tool, actor)


def is_proposed(tool: Tool, actor: Actor) -> bool:
    """Return True if a call of the tool becomes a proposal where the credentials do not cover it."""
    return actor.proposes and any(operation.is_proposable for operation in tool.declared)


def can_step_up(actor: Actor) -> bool:
    """Return True for an OAuth token: it names a client and has no key."""
    return actor.client is not None and actor.key_prefix is None
