"""The gate: permission, transaction and idempotency of every operation, for every channel alike."""

import inspect
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from enum import Flag, StrEnum, auto
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, get_type_hints

from opentelemetry import trace
from pydantic import TypeAdapter

from ledgerkit.core import WINGS_OF_DOMAINS
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request import dry_run, idempotency
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.previews import StepLeftOutError
from ledgerkit.problems import Code, Problem
from ledgerkit.telemetry.metrics import OPERATIONS as COUNTED
from ledgerkit.telemetry.metrics import Outcome

_MOST_STEPS = 3
"""Most steps that one run of an operation may need: one for each issuer, say."""

NOBODY = "public"
"""Channel of a caller without credentials."""

P = ParamSpec("P")
R = TypeVar("R")
Called = Callable[..., Awaitable[Any]]
"""A service function, as a route or a tool names it."""


class Unit(StrEnum):
    """Unit of work of an operation: one transaction, reads that write nothing, or short transactions of its own."""

    TRANSACTION = "transaction"
    READING = "reading"
    OWN = "own"


class Effect(Flag):
    """Effect of an operation, in the words of MCP's tool annotations and of HTTP (RFC 9110 §9.2).

    READ_ONLY changes no record. DESTRUCTIVE cannot be undone. IDEMPOTENT has no further effect when it is repeated.
    OPEN_WORLD reaches others: a tax agency, a mail server.
    """

    NONE = 0
    READ_ONLY = auto()
    DESTRUCTIVE = auto()
    IDEMPOTENT = auto()
    OPEN_WORLD = auto()


class DoFirstError(Exception):
    """End of a transaction that needs `step` to be done outside of it first: none waits for the network.

    The gate rolls back, does the step and runs the operation again.
    """

    def __init__(self, step: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        self.step = step


Errors = Sequence[tuple[type[Problem], Collection[Code]]]
"""Kinds of problems, each with the codes that an operation refuses with."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One service function as it was declared: the source of everything that REST, MCP and documents say about it."""

    name: str
    permission: Permission
    function: Called = field(repr=False)
    unit: Unit
    errors: Errors
    effects: Effect
    sealed: bool
    final: Collection[Code]

    @cached_property
    def answer(self) -> TypeAdapter[Any]:
        """Adapter that stores this operation's result for a replay, and reads it back."""
        return TypeAdapter(self.result_type)

    @cached_property
    def result_type(self) -> Any:
        """The type that the function declares to return."""
        return get_type_hints(self.function)["return"]

    async def run(self, ctx: Context, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if_match = ctx.request_metadata.if_match

        async def attempt() -> Any:
            ctx.request_metadata.if_match = if_match
            async with ctx.reading() if self.unit is Unit.READING else ctx.transaction() as inner:
                return await self._perform(inner, args, kwargs)

        if self.unit is not Unit.OWN:
            with self._ended_by_departure(ctx):
                return await retry_on_conflict(attempt)
        try:
            return await self._perform(ctx, args, kwargs)
        except Problem as problem:
            if ctx.kernel.dry_run is not None and problem.code in self.final:
                ctx.kernel.dry_run.results.append(problem)
            raise

    async def _perform(self, ctx: Context, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if ctx.request_metadata.idempotency_key is None or ctx.who is None or self.unit is Unit.READING:
            return await self._work(ctx, args, kwargs)
        arguments = (args, kwargs)
        idempotent_call = idempotency.IdempotentCall(
            ctx, self.name, self.answer, arguments, sealed=self.sealed, final=self.final
        )
        return await idempotent_call.run(lambda: self._work(ctx, args, kwargs))

    async def _work(self, ctx: Context, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.unit is not Unit.OWN:
            return await self.function(ctx, *args, **kwargs)
        with self._ended_by_departure(ctx):  # the bookkeeping of its key is not
            return await self.function(ctx, *args, **kwargs)

    def _ended_by_departure(self, ctx: Context) -> AbstractContextManager[None]:
        """Let the work end when the caller leaves.

        It goes on to its end where others may have been told of it, and where it commits by itself under a key: ended
        just then, the same key would do it twice.
        """
        commits_under_key = self.unit is Unit.OWN and ctx.request_metadata.idempotency_key is not None
        goes_on = Effect.OPEN_WORLD in self.effects or commits_under_key
        return nullcontext() if goes_on else ctx.request_metadata.departure.ends_work()


OPERATIONS: dict[str, Operation] = {}
_DECLARED: dict[Called, Operation] = {}

tracer = trace.get_tracer("ledgerkit")


def operation(
    permission: Permission,
    *,
    unit: Unit = Unit.TRANSACTION,
    errors: Errors = (),
    effects: Effect = Effect.NONE,
    sealed: bool = False,
    final: Collection[Code] = (),
) -> Callable[
    [Callable[Concatenate[Context, P], Awaitable[R]]], Callable[Concatenate[Context, P], Coroutine[Any, Any, R]]
]:
    """Make a service function an operation.

    The outermost call checks `permission`, opens the unit (a transaction), applies the idempotency key, commits, and is
    repeated when PostgreSQL chose it as a conflict's victim. A call within another one checks its permission and
    joins the transaction. Where the request's metadata ask for a dry run, all of it is rolled back (`dry_run`).
    What only reads is done again under the same key: there is nothing to do once.
    Its name is made of the folders below the wing and the function: `invoices.create`, `einvoice.issuance.annul`. It
    labels metrics and spans and is part of what is stored with an idempotency key, so that a key from before a renaming
    is refused as another request's.
    `errors`: the refusals beyond those that every operation of its form can answer with (openapi/problems).
    `effects`: what an agent or a client must know before calling. Unit.READING implies READ_ONLY, and that IDEMPOTENT.
    `sealed`: the answer holds a secret, so it is kept for a replay in cipher only.
    `final`: problems that are a result, of an operation with transactions of its own: they leave something done, so
    they are kept and answered again like a success. Raises Unauthenticated, OutOfScope, Forbidden, Unavailable.
    """
    assert not final or unit is Unit.OWN  # noqa: S101 - ours: in one transaction a problem leaves nothing done

    def decorate(
        function: Callable[Concatenate[Context, P], Awaitable[R]],
    ) -> Callable[Concatenate[Context, P], Coroutine[Any, Any, R]]:
        declaration = Operation(
            name=_name(function),
            permission=permission,
            function=function,
            unit=unit,
            errors=errors,
            effects=_all_effects(unit, effects),
            sealed=sealed,
            final=final,
        )
        assert declaration.name not in OPERATIONS, declaration.name  # noqa: S101 - ours: a name is one operation's
        OPERATIONS[declaration.name] = _DECLARED[function] = declaration
        return _gated(declaration, function)

    return decorate


def _gated(
    declaration: Operation, function: Callable[Concatenate[Context, P], Awaitable[R]]
) -> Callable[Concatenate[Context, P], Coroutine[Any, Any, R]]:
    @wraps(function)
    async def gated(ctx: Context, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if ctx.connection is not None:
            ctx.require(declaration.permission)
            return await function(ctx, *args, **kwargs)
        with _observed(declaration.name, ctx):
            ctx.require(declaration.permission)
            if ctx.wants_dry_run:
                return await dry_run.answer(ctx, lambda inner: declaration.run(inner, args, kwargs))
            result: R = await _after_steps(ctx, lambda: declaration.run(ctx, args, kwargs))
        return result

    return gated


async def _after_steps(ctx: Context, work: Callable[[], Awaitable[R]]) -> R:
    """Run an operation, again after each step that it needs to be done outside of its transaction."""
    if_match = ctx.request_metadata.if_match
    for _ in range(_MOST_STEPS):
        try:
            return await work()
        except DoFirstError as interruption:
            await interruption.step()
        ctx.request_metadata.if_match = if_match
    return await work()


def declared(function: Called) -> Operation:
    """Return the operation that `function` was made. Raises KeyError where it is none."""
    return _DECLARED[inspect.unwrap(function)]


def check_permission(declaration: Operation, ctx: Context) -> None:
    """Refuse a caller who may not do `declaration`, before their body is read; counted like a refusal of the gate.

    Raises Unauthenticated, OutOfScope, Forbidden.
    """
    try:
        ctx.require(declaration.permission)
    except Problem:
        with _observed(declaration.name, ctx):
            raise


def _all_effects(unit: Unit, effects: Effect) -> Effect:
    effects |= Effect.READ_ONLY if unit is Unit.READING else Effect.NONE
    return effects | Effect.IDEMPOTENT if Effect.READ_ONLY in effects else effects


def _name(function: Called) -> str:
    wing, *folders, _module = function.__module__.removeprefix("ledgerkit.core.").split(".")
    return ".".join([*([] if wing in WINGS_OF_DOMAINS else [wing]), *folders, function.__name__])


@contextmanager
def _observed(name: str, ctx: Context) -> Iterator[None]:
    """Trace and count an operation that a caller asked for; the operations inside it are part of it."""
    channel = NOBODY if ctx.who is None else ctx.who.channel.value
    outcome = Outcome.FAILED
    success = Outcome.DRY_RUN if ctx.wants_dry_run or ctx.kernel.dry_run is not None else Outcome.DONE
    with tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
        try:
            yield
            outcome = success
        except Problem as problem:
            outcome = Outcome.REFUSED if problem.status < 500 else Outcome.FAILED
            raise
        except StepLeftOutError:
            outcome = success
            raise
        finally:
            span.set_attributes({"ledgerkit.channel": channel, "ledgerkit.outcome": outcome.value})
            COUNTED.labels(name, channel, outcome).inc()
