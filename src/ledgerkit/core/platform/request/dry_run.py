"""Dry runs: any operation, run in a transaction that is rolled back.

Nothing is sent, queued, numbered or stored, and operations need no code for that. The transactions of their database
are never committed, they can use only services that define their behaviour in a dry run, and the countries' channels
reach no authority (ADR 30).
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from inspect import iscoroutinefunction
from types import MappingProxyType
from typing import NoReturn, TypeVar, cast

from structlog.contextvars import bound_contextvars

from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.transactions import Database, RolledBack, retry_on_conflict
from ledgerkit.core.platform.request.context import Context, Kernel
from ledgerkit.core.platform.request.previews import DryRun, DryRunService, Preview, StepLeftOutError, WriteLog
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.problems import Problem
from ledgerkit.providers.api import FiscalChannel
from ledgerkit.providers.registry import Registry

T = TypeVar("T")


async def answer(ctx: Context, act: Callable[[Context], Awaitable[T]]) -> T:
    """Run `act` dry, put the preview into the request's metadata and return its answer.

    Raises StepLeftOutError when the dry run ended before there was one, and whatever `act` raises.
    """
    preview = await rehearse(ctx, act)
    ctx.request_metadata.preview = preview
    if preview.problem is not None:
        raise preview.problem
    if not preview.is_complete:
        raise StepLeftOutError
    return cast("T", preview.answer)


async def rehearse(
    ctx: Context, act: Callable[[Context], Awaitable[T]], *, in_one_transaction: bool = False
) -> Preview[T]:
    """Run `act`, which may call any operations with its context, and roll everything back.

    Locks are held until the end, but no step waits for the network. `in_one_transaction`: that context is inside the
    transaction already, which fails as a whole. Raises whatever `act` raises.
    """

    async def attempt() -> Preview[T]:
        account_id = None if ctx.who is None else ctx.account.id
        async with ctx.kernel.database.rolled_back(account_id) as database:
            connection = database.connection if in_one_transaction else None
            return await _previewed(replace(ctx, connection=connection), act, database)

    with bound_contextvars(dry_run=True):
        return await retry_on_conflict(attempt)


async def _previewed(ctx: Context, act: Callable[[Context], Awaitable[T]], database: RolledBack) -> Preview[T]:
    dry_run, first_id = DryRun(), new_id()
    result, is_complete, final_problem = None, True, None
    try:
        result = await act(replace(ctx, kernel=_dry_kernel(ctx.kernel, database, dry_run)))
    except StepLeftOutError:
        is_complete = False
    except Problem as problem:
        if problem not in dry_run.results:
            raise
        final_problem = problem
    account_ids = (
        []
        if ctx.who is None
        else [entered_account for entered_account in database.entered_accounts if entered_account is not None]
    )
    writes = dry_run.writes
    if writes is None:
        writes = await ctx.kernel.service(WriteLog).entries(database, account_ids, first_id)
    return Preview(
        answer=result,
        writes=writes,
        left_out=dry_run.left_out,
        is_complete=is_complete,
        problem=final_problem,
        rights=dry_run.rights,
    )


def _dry_kernel(kernel: Kernel, database: Database, dry_run: DryRun) -> Kernel:
    services = {
        kind: cast("DryRunService", service).in_dry_run(dry_run)
        for kind, service in kernel.services.items()
        if hasattr(service, "in_dry_run")  # isinstance of a protocol is fifty times as slow
    }
    return replace(
        kernel,
        database=database,
        services=services,
        countries=_silent_countries(kernel.countries, dry_run),
        dry_run=dry_run,
    )


def _silent_countries(registry: Registry, dry_run: DryRun) -> Registry:
    countries = {
        code: replace(country, channels=tuple(_silent_channel(channel, dry_run) for channel in country.channels))
        for code, country in registry.countries.items()
    }
    return replace(registry, countries=MappingProxyType(countries))


def _silent_channel(channel: FiscalChannel, dry_run: DryRun) -> FiscalChannel:
    return cast("FiscalChannel", _Silent(channel, dry_run))


_ABILITIES = {"annuls", "audits", "asks", "signs", "certifies", "declares"}


class _Silent:
    """A channel, or an ability of one, whose coroutines reach nobody: only they do (`FiscalChannel`)."""

    def __init__(self, channel: object, dry_run: DryRun) -> None:
        self._channel = channel
        self._dry_run = dry_run

    def __getattr__(self, name: str) -> object:
        value = getattr(self._channel, name)
        if iscoroutinefunction(value):
            return self._left_out
        return _Silent(value, self._dry_run) if name in _ABILITIES and value is not None else value

    async def _left_out(self, *_: object, **__: object) -> NoReturn:
        self._dry_run.end_at(DryRunMsg.CONNECTION_TO_AUTHORITY)
