"""The gate: permission, transaction and idempotency of every operation, for every channel alike."""

import inspect
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from enum import Flag, StrEnum, auto
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, get_type_hints

from opentelemetry import trace
from pydantic import TypeAdapter

from ledgerkit.core import WINGS_OF_DOMAINS
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request import dry_run, idempotency
from ledgerkit.core.platform.request.acts import Act
from ledgerkit.core.platform.request.arguments import Arguments
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.previews import StepLeftOutError
from ledgerkit.core.platform.request.proposals import ApprovalDesk
from ledgerkit.problems import Code, OutOfScope, Problem
from ledgerkit.telemetry.metrics import OPERATIONS as COUNTED
from ledgerkit.telemetry.metrics import Outcome

_MOST_STEPS = 3
"""Most steps that one run of an operation may need: one for each issuer, say."""

NOBODY = "public"
"""Channel of a caller without credentials."""

_NEVER_PROPOSED = {
    *(Permission.PUBLIC, Permission.ACCOUNT, Permission.LOGIN, Permission.TEAM_KEY),
    *(Permission.APPROVALS_PROPOSE, Permission.APPROVALS_DECIDE),
}

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
    act: Act | None
    proposable: bool

    @cached_property
    def arguments(self) -> Arguments:
        """Arguments of the function, as one JSON object."""
        return Arguments(self.function)

    @property
    def is_proposable(self) -> bool:
        """True when a client may propose the operation, and a person of the account approve it.

        Never what only reads, answers with a secret, or is about a person's own login, keys and approvals.
        """
        is_own = self.permission in _NEVER_PROPOSED or self.sealed or Effect.READ_ONLY in self.effects
        return self.proposable and not is_own

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
                return await self.perform(inner, args, kwargs)

        if self.unit is not Unit.OWN:
            with self._ended_by_departure(ctx):
                return await retry_on_conflict(attempt)
        try:
            return await self.perform(ctx, args, kwargs)
        except Problem as problem:
            if ctx.kernel.dry_run is not None and problem.code in self.final:
                ctx.kernel.dry_run.results.append(problem)
            raise

    async def perform(self, ctx: Context, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do the operation in the transaction of `ctx`, or in its own ones, once under the caller's key."""
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
    act: Act | None = None,
    proposable: bool = True,
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
    they are kept and answered again like a success.
    `act`: what a person is told of it before they agree. `proposable`: a client may propose it to a person.
    Raises Unauthenticated, OutOfScope, Forbidden, Unavailable; ProposedError where a person is asked first.
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
            act=act,
            proposable=proposable,
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
            if ctx.wants_dry_run:
                looking = _as_proposer(declaration, ctx)
                looking.require(declaration.permission)
                return await dry_run.answer(looking, lambda inner: declaration.run(inner, args, kwargs))
            result: R = await _agreed(declaration, ctx, args, kwargs)
        return result

    return gated


async def _agreed(declaration: Operation, ctx: Context, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Do an operation, or ask a person first: about an act on a channel that asks, and for a client that proposes."""

    async def run() -> Any:
        ctx.require(declaration.permission)
        return await after_steps(ctx, lambda: declaration.run(ctx, args, kwargs))

    if ctx.who is None or ctx.kernel.dry_run is not None or not declaration.is_proposable:
        return await run()
    asked_about = declaration.act is not None and declaration.act.asked_if is not None
    try:
        if asked_about and (ctx.request_metadata.agreement is not None or ctx.actor.proposes):
            desk = ctx.kernel.service(ApprovalDesk)
            return await desk.agree(ctx, declaration.name, declaration.arguments.bound(args, kwargs), run)
        return await run()
    except OutOfScope:
        if not ctx.actor.proposes:
            raise
        desk = ctx.kernel.service(ApprovalDesk)
        return await desk.propose(ctx, declaration.name, declaration.arguments.bound(args, kwargs))


def _as_proposer(declaration: Operation, ctx: Context) -> Context:
    """Return the context with all rights of the role if the operation is one that the client may propose."""
    may_look = declaration.is_proposable and ctx.who is not None and ctx.actor.proposes
    return replace(ctx, who=ctx.actor.unscoped) if may_look else ctx


async def after_steps(ctx: Context, work: Callable[[], Awaitable[R]]) -> R:
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
        _as_proposer(declaration, ctx).require(declaration.permission)
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
