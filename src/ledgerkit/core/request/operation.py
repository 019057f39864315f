"""The gate: permission, transaction and idempotency of every operation, for every channel alike."""

from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, get_type_hints

from opentelemetry import trace
from pydantic import TypeAdapter

from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.request import idempotency
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.permissions import Permission
from ledgerkit.metrics import OPERATIONS as COUNTED
from ledgerkit.metrics import Outcome
from ledgerkit.problems import Code, Problem

NOBODY = "public"
"""The channel of who has no credentials."""

P = ParamSpec("P")
R = TypeVar("R")
Service = Callable[Concatenate[Context, P], Awaitable[R]]


class Unit(StrEnum):
    """What an operation runs in: one transaction, reads that write nothing, or short transactions of its own."""

    TRANSACTION = "transaction"
    READING = "reading"
    OWN = "own"


@dataclass
class Operation:
    """One registered service function."""

    name: str
    permission: Permission
    function: Callable[..., Awaitable[Any]] = field(repr=False)
    unit: Unit
    sealed: bool = False
    final: Collection[Code] = ()

    @cached_property
    def answer(self) -> TypeAdapter[Any]:
        """How this operation's result is stored for a replay, and read back."""
        return TypeAdapter(get_type_hints(self.function)["return"])

    async def run(self, ctx: Context, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if_match = ctx.request_metadata.if_match

        async def attempt() -> Any:
            ctx.request_metadata.if_match = if_match
            async with ctx.reading() if self.unit is Unit.READING else ctx.transaction() as inner:
                return await self._perform(inner, args, kwargs)

        return await (self._perform(ctx, args, kwargs) if self.unit is Unit.OWN else retry_on_conflict(attempt))

    async def _perform(self, ctx: Context, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if ctx.request_metadata.idempotency_key is None or ctx.who is None or self.unit is Unit.READING:
            return await self.function(ctx, *args, **kwargs)
        given = (args, kwargs)
        once = idempotency.IdempotentCall(ctx, self.name, self.answer, given, sealed=self.sealed, final=self.final)
        return await once.run(lambda: self.function(ctx, *args, **kwargs))


OPERATIONS: dict[str, Operation] = {}

tracer = trace.get_tracer("ledgerkit")


def operation(
    permission: Permission, *, unit: Unit = Unit.TRANSACTION, sealed: bool = False, final: Collection[Code] = ()
) -> Callable[
    [Callable[Concatenate[Context, P], Awaitable[R]]], Callable[Concatenate[Context, P], Coroutine[Any, Any, R]]
]:
    """Make a service function an operation.

    The outermost call checks `permission`, opens the unit (a transaction), applies the idempotency key, commits, and is
    repeated when PostgreSQL chose it as a conflict's victim. A call within another one checks its permission and
    joins the transaction. What only reads is done again under the same key: there is nothing to do once.
    `sealed`: the answer holds a secret, so it is kept for a replay in cipher only.
    `final`: problems that are a result, of an operation with transactions of its own: they leave something done, so
    they are kept and answered again like a success. Raises Unauthenticated, Forbidden, Unavailable.
    """
    assert not final or unit is Unit.OWN  # noqa: S101 - ours: in one transaction a problem leaves nothing done

    def decorate(
        function: Callable[Concatenate[Context, P], Awaitable[R]],
    ) -> Callable[Concatenate[Context, P], Coroutine[Any, Any, R]]:
        name = f"{function.__module__.removeprefix('ledgerkit.core.').removesuffix('.service')}.{function.__name__}"
        registered = Operation(
            name=name, permission=permission, function=function, unit=unit, sealed=sealed, final=final
        )
        OPERATIONS[name] = registered

        @wraps(function)
        async def gated(ctx: Context, /, *args: P.args, **kwargs: P.kwargs) -> R:
            if ctx.connection is not None:
                ctx.require(permission)
                return await function(ctx, *args, **kwargs)
            with _observed(name, ctx):
                ctx.require(permission)
                result: R = await registered.run(ctx, args, kwargs)
            return result

        return gated

    return decorate


@contextmanager
def _observed(name: str, ctx: Context) -> Iterator[None]:
    """Trace and count what a caller asked for; the operations that it takes within its transaction are part of it."""
    channel = NOBODY if ctx.who is None else ctx.who.channel.value
    outcome = Outcome.FAILED
    with tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
        try:
            yield
            outcome = Outcome.DONE
        except Problem as problem:
            outcome = Outcome.REFUSED if problem.status < 500 else Outcome.FAILED
            raise
        finally:
            span.set_attributes({"ledgerkit.channel": channel, "ledgerkit.outcome": outcome.value})
            COUNTED.labels(name, channel, outcome).inc()
