"""Tool of the catalogue: its description for agents, the operations that it calls, and its confirmation."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, reduce
from operator import or_
from typing import Any, Self, TypeVar

from mcp.types import Tool as Published
from mcp.types import ToolAnnotations

from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.request.acts import always
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Called, Effect, Operation, declared
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.mcp_server.schemas import arguments_schema, full
from ledgerkit.mcp_server.shapes import PageQuery, body_of
from ledgerkit.mcp_server.views import pages

New = TypeVar("New", bound=Wire)
Change = TypeVar("Change", bound=Wire)
Run = Callable[[Context, Any], Awaitable[object]]


class Module(StrEnum):
    """Part of the catalogue. It is open to callers who may enter any of its `areas`; CORE is always open."""

    areas: frozenset[str]

    def __new__(cls, value: str, *areas: str) -> Self:
        module = str.__new__(cls, value)
        module._value_ = value
        module.areas = frozenset(areas)
        return module

    CORE = "core"
    CATALOG = "catalog", "catalog"
    PAYABLES = "payables", "vendors", "supplierInvoices"
    TASKS = "tasks", "tasks"
    TAX = "tax", "taxDeclarations"
    TEAM = "team", "team"
    POS = "pos", "cashRegister"


class Confirmed(StrEnum):
    """Need of a confirmation after a preview: never, always, or for some calls, as when a record is sealed."""

    NEVER = "never"
    ALWAYS = "always"
    SOMETIMES = "sometimes"


@dataclass(frozen=True, kw_only=True)
class Tool:
    """Tool of the catalogue.

    `run` gets the context and an instance of `arguments`; it returns the answer as a shape or JSON, or None for done.
    `creates` is REST's shape of a new record, for tools whose `arguments` without an id create one.
    `described` are the fields of `arguments` that the schema names, all by default. `hints` explain fields; `like`
    names, by field, the tool that describes the same field. An answer that `is_long` has much more in full detail.
    `previewed` makes what a preview shows of the operation's answer, where `run` does not answer just that.
    """

    name: str
    title: str
    description: str
    module: Module = Module.CORE
    scope: Scope
    operations: Sequence[Called] = field(repr=False)
    arguments: type[Wire]
    run: Run = field(repr=False)
    previewed: Callable[[Json], Json] | None = field(default=None, repr=False)
    creates: type[Wire] | None = None
    described: Sequence[str] = ()
    hints: Mapping[str, str] = field(default_factory=dict)
    like: Mapping[str, str] = field(default_factory=dict)
    is_long: bool = False

    @cached_property
    def declared(self) -> list[Operation]:
        """Declarations of the operations that the tool may call."""
        return [declared(function) for function in self.operations]

    @cached_property
    def deciding(self) -> list[Operation]:
        """Operations of which a caller must be allowed one: those that write, of a tool that does not only read."""
        return [each for each in self.declared if Effect.READ_ONLY not in each.effects] or self.declared

    @cached_property
    def effects(self) -> Effect:
        """READ_ONLY and IDEMPOTENT if all operations are; DESTRUCTIVE and OPEN_WORLD if at least one is."""
        effects = [operation.effects for operation in self.declared]
        shared = reduce(lambda left, right: left & right, effects) & (Effect.READ_ONLY | Effect.IDEMPOTENT)
        any_of = reduce(or_, effects) & (Effect.DESTRUCTIVE | Effect.OPEN_WORLD)
        return shared | any_of | (Effect.DESTRUCTIVE if self.confirmed is Confirmed.ALWAYS else Effect.NONE)

    @cached_property
    def confirmed(self) -> Confirmed:
        """Need of a confirmation, as the acts of the operations declare it."""
        writing = [operation for operation in self.declared if Effect.READ_ONLY not in operation.effects]
        asked_if = [None if operation.act is None else operation.act.asked_if for operation in writing]
        if not any(asked_if):
            return Confirmed.NEVER
        return Confirmed.ALWAYS if all(condition is always for condition in asked_if) else Confirmed.SOMETIMES

    @cached_property
    def full_schema(self) -> dict[str, Any]:
        """JSON schema with all fields of the arguments."""
        return full(self.arguments)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """JSON schema of the arguments as tools/list publishes it."""
        is_long = self.is_long or issubclass(self.arguments, PageQuery)
        return arguments_schema(self.arguments, self.described, self.hints, self.like, is_long=is_long)

    @cached_property
    def published(self) -> Published:
        """Return the tool in the form of tools/list."""
        return Published(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.schema,
            annotations=self._annotations,
            meta=pages.published(pages.view_of(self.name, always_asks=self.confirmed is Confirmed.ALWAYS)),
        )

    @property
    def _annotations(self) -> ToolAnnotations:
        """Hints of the tool, without those that are MCP's defaults, or mean nothing beside `readOnlyHint`."""
        reads = Effect.READ_ONLY in self.effects
        return ToolAnnotations(
            read_only_hint=reads or None,
            destructive_hint=None if reads else Effect.DESTRUCTIVE in self.effects,
            idempotent_hint=True if not reads and Effect.IDEMPOTENT in self.effects else None,
            open_world_hint=None if Effect.OPEN_WORLD in self.effects else False,
        )


def saving(
    create: Callable[[Context, New], Awaitable[object]],
    new_shape: type[New],
    update: Callable[[Context, str, Change], Awaitable[object]],
    change_shape: type[Change],
) -> Run:
    """Return a `run` that calls `update` for arguments with an id and `create` for others, each with its own shape."""

    async def save(ctx: Context, arguments: Any) -> Json:
        if arguments.id is None:
            return as_json(await create(ctx, body_of(new_shape, arguments)))
        return as_json(await update(ctx, arguments.id, body_of(change_shape, arguments)))

    return save
