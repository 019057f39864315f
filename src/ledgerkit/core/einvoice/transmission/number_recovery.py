"""Recovery of numbers after a restore: a series continues after the authority's numbers, or gets another name.

A restored database does not know the numbers that were given after the backup. Before the next one is given, the
authority is asked for the issuer's documents, outside of any transaction. Documents that it has and the account lacks
are lost here: they are listed, and their numbers are never given again. If the authority cannot be asked, nobody knows
which numbers are taken: the series of the issuer end, and others begin.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial

import structlog
from sqlalchemy import Date, Text, bindparam, or_, select

from ledgerkit.core.einvoice.certificates.access import AuthorityAccess, authority_access
from ledgerkit.core.einvoice.chain import heads, lost_numbers
from ledgerkit.core.einvoice.modes import issuers as modes
from ledgerkit.core.einvoice.outbox.incidents import IssuerChain, notify_once
from ledgerkit.core.einvoice.outbox.retry_policy import Trouble
from ledgerkit.core.einvoice.table import (
    ChainHeadRow,
    FiscalRecordRow,
    LostNumberRow,
    fiscal_installation,
    fiscal_lost_number,
    fiscal_record,
    fiscal_status,
)
from ledgerkit.core.einvoice.transmission import fiscal_messages, inquiries
from ledgerkit.core.einvoice.transmission.inquiries import Inquiry
from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Row, Values
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.documents.series import prefix
from ledgerkit.core.platform.identity.accounts import issuer_series
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.accounts.issuer_series import SeriesIssuer
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import DoFirstError
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.core.sales.invoices.imports import numbers
from ledgerkit.core.sales.invoices.imports.numbers import OwnPlace
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.issuance import series as issuance_series
from ledgerkit.providers.api import (
    DocumentKind,
    Environment,
    FiscalChannel,
    Heading,
    Holding,
    Mode,
    Party,
    Question,
    State,
)

DUE, ASKED, RENAMED = "due", "asked", "renamed"
ASKING_SECONDS = 45.0
"""Seconds after which the authority counts as silent, however many questions are left."""

MONTHS_BEFORE = 12
"""Months of operation that are asked for before the year of the last known record: an invoice may be issued later."""

MOST_MONTHS = 48
MOST_LOST = 10_000
"""Most numbers of one series that are lost at once; more are not believed."""

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class _Inquiry:
    """Question about the documents of an issuer since `since`; `accepted` is a number that the authority must show."""

    head: ChainHeadRow
    channel: FiscalChannel
    issuer: Party
    access: AuthorityAccess
    since: date
    accepted: str | None
    hindrance: str | None


def require_known(ctx: Context, head: ChainHeadRow, channel: FiscalChannel) -> None:
    """Raise DoFirstError while it is not known which numbers the chain of the locked `head` may have lost.

    A dry run ends here, because it asks nobody.
    """
    if head.numbers != DUE:
        return
    if ctx.kernel.dry_run is not None:
        ctx.kernel.dry_run.end_at(DryRunMsg.CONNECTION_TO_AUTHORITY)
    outside = replace(ctx, connection=None)
    raise DoFirstError(partial(recover, outside, channel, Environment(head.environment), head.issuer_tax_id))


async def recover(ctx: Context, channel: FiscalChannel, environment: Environment, issuer_tax_id: str) -> None:
    """Ask the authority, and continue or end the issuer's series; do nothing if that has been done.

    Several callers may do it at the same time; the result of one of them is stored.
    """
    inquiry = await ctx.transact(lambda inner: _prepare(inner, channel, environment, issuer_tax_id))
    if inquiry is None:
        return
    holdings, hindrance = await _ask(ctx, inquiry)
    await ctx.transact(lambda inner: _finish(inner, inquiry, holdings, hindrance))


async def _prepare(
    ctx: Context, channel: FiscalChannel, environment: Environment, issuer_tax_id: str
) -> _Inquiry | None:
    head = await heads.lock_open_head(ctx, channel, environment, issuer_tax_id)
    if head.numbers != DUE:
        return None
    newest = await _NEWEST.row(ctx.db, environment=environment.value, issuer_tax_id=issuer_tax_id)
    access = await authority_access(ctx, channel, environment, issuer_tax_id)
    today = ctx.account.today()
    since = date((today if newest is None else newest.issue_date).year, 1, 1)
    issuer = heads.issuer_party(ctx, head) if newest is None else fiscal_messages.issuer_of(newest)
    parameters = {"environment": environment.value, "issuer_tax_id": issuer_tax_id, "since": since}
    accepted = await _ACCEPTED.row(ctx.db, **parameters)
    return _Inquiry(
        head=head,
        channel=channel,
        issuer=issuer,
        access=access,
        since=since,
        accepted=None if accepted is None else accepted.number,
        hindrance=_hindrance(ctx, head, channel, access),
    )


def _hindrance(ctx: Context, head: ChainHeadRow, channel: FiscalChannel, access: AuthorityAccess) -> str | None:
    """Return why the authority cannot be asked at all; None where it can."""
    if channel.asks is None:
        return "this channel cannot ask"
    if modes.mode_of(ctx, head) is Mode.SIGNING:
        return "records are signed and kept, so that the authority holds none"
    return None if access.problem is None else access.problem.message


async def _ask(ctx: Context, inquiry: _Inquiry) -> tuple[list[Holding], str | None]:
    """Return what the authority holds, and why that is not known; outside of any transaction."""
    months = _months(inquiry.since, ctx.account.today())
    hindrance = inquiry.hindrance or ("the last record is too old" if len(months) > MOST_MONTHS else None)
    if hindrance is not None:
        return [], hindrance
    holdings: list[Holding] = []
    try:
        async with asyncio.timeout(ASKING_SECONDS):
            for year, month in months:
                hindrance = await _ask_of_month(ctx, inquiry, (year, month), holdings)
                if hindrance is not None:
                    return [], hindrance
    except TimeoutError:
        return [], "the authority takes too long"
    if inquiry.accepted is not None and all(holding.number != inquiry.accepted for holding in holdings):
        return [], f"it does not show {inquiry.accepted}, which it has accepted"
    return holdings, None


async def _ask_of_month(ctx: Context, inquiry: _Inquiry, month: tuple[int, int], holdings: list[Holding]) -> str | None:
    """Add the documents of one month of operation to `holdings`; return the failure, if there is one."""
    assert inquiry.channel.asks is not None  # noqa: S101 - a hindrance otherwise
    asking = Inquiry(
        channel=inquiry.channel,
        asks=inquiry.channel.asks,
        environment=Environment(inquiry.head.environment),
        heading=Heading(issuer=inquiry.issuer, representative=inquiry.access.representative),
        access=inquiry.access.access,
        installation_id=inquiry.head.id,
    )
    question = Question(year=month[0], month=month[1], first=inquiry.since, last=ctx.account.today())
    async for page in inquiries.pages(ctx, asking, question):
        if page.answer.failure is not None:
            return page.answer.failure
        holdings += page.answer.holdings
    return None


def _months(since: date, today: date) -> list[tuple[int, int]]:
    """Return year and month of all months that documents issued since then may be of, the latest first."""
    latest, earliest = today.year * 12 + today.month - 1, since.year * 12 + since.month - 1 - MONTHS_BEFORE
    return [(month // 12, month % 12 + 1) for month in range(latest, earliest - 1, -1)]


# ---------------------------------------------------------------- afterwards


async def _finish(ctx: Context, inquiry: _Inquiry, holdings: Sequence[Holding], hindrance: str | None) -> None:
    """Store what the authority holds, or give up the series; the lock on the account comes before that on the chain."""
    inner = await accounts.with_locked_profile(ctx, exclusive=True)
    head = await heads.lock_head(inner, inquiry.head.id)
    if head is None or head.numbers != DUE:
        return
    lost = [] if hindrance is not None else await _lost(inner, head, holdings)
    too_many = next((series for series in lost if len(series.ordinals) > MOST_LOST), None)
    if too_many is not None:
        hindrance = f"it holds {too_many.series} numbers up to {too_many.top}"
    if hindrance is None:
        await _go_on(inner, head, lost)
    else:
        await _give_up(inner, head, hindrance)


@dataclass(frozen=True, kw_only=True)
class _LostSeries:
    """Numbers of a series and year that follow the last one known here, up to `top`; `held` by ordinal."""

    series: str
    year: int
    next: int
    top: int
    held: Mapping[int, Holding]
    last_date: date

    @property
    def ordinals(self) -> range:
        return range(self.next, self.top + 1)


async def _lost(ctx: Context, head: ChainHeadRow, holdings: Sequence[Holding]) -> list[_LostSeries]:
    """Return the numbers that were given after the last known ones of each series: held, or sent from this machine."""
    places = [
        (place, holding)
        for holding in holdings
        if (place := numbers.own_place(ctx, holding.number, holding.issue_date))
    ]
    sent = None
    if head.last_sent_number is not None:
        sent = numbers.own_place(ctx, head.last_sent_number, ctx.account.today())
    keys = {place.key for place, _ in places} | ({sent.key} if sent else set())
    counters = await numbers.known_counters(ctx)
    issuer = _issuer(ctx, head)
    names = {series for series, _ in keys}
    others = await issuer_series.held_by_others(ctx.db, issuer, names)
    others |= await issuer_series.of_other_identifiers(ctx.db, issuer, names)
    series_here = {series for series, _ in counters} | set((await _series_of(ctx, issuer)).values())
    lost = []
    for series, year in sorted(key for key in keys if key[0] in series_here - others):
        counter = counters.get((series, year))
        following = 1 if counter is None else counter.next
        of_series = {place.ordinal: entry for place, entry in places if place.key == (series, year)}
        last_sent = [sent.ordinal] if sent and sent.key == (series, year) else []
        top = max([*of_series, *last_sent])
        new = {ordinal: holding for ordinal, holding in of_series.items() if ordinal >= following}
        days = [holding.issue_date for holding in new.values()]
        last_date = max([*days, date(year, 1, 1) if counter is None else counter.last_date])
        if top >= following:
            lost.append(_LostSeries(series=series, year=year, next=following, top=top, held=new, last_date=last_date))
    return lost


async def _go_on(ctx: Context, head: ChainHeadRow, lost: Sequence[_LostSeries]) -> None:
    """List the lost numbers, and let each series go on after them."""
    for series in lost:
        for ordinal in series.ordinals:
            await records.add(ctx, fiscal_lost_number, _lost_row(ctx, head, series, ordinal))
        place = OwnPlace(series.series, series.year, series.top, series.last_date)
        await numbers.advance(ctx, place)
        await issuer_series.use(ctx.db, _issuer(ctx, head), series.series)
    await records.change(ctx, fiscal_installation, head.id, Values(ChainHeadRow, numbers=ASKED))
    if not lost:
        log.info("the authority holds no number that is not known here", installation=head.id.hex)
        return
    named = lost_numbers.named_documents((await lost_numbers.documents(ctx))[head.id])
    await heads.log_activity(ctx, "numbers_lost", head, {"numbers": (None, named)})
    await notify_once(ctx, IssuerChain(head.id, head.issuer_tax_id), Trouble.LOST_NUMBERS, named)
    log.warning("numbers were lost", installation=head.id.hex, numbers=named)


def _lost_row(ctx: Context, head: ChainHeadRow, series: _LostSeries, ordinal: int) -> Values[LostNumberRow]:
    holding = series.held.get(ordinal)
    return Values(
        LostNumberRow,
        id=new_id(),
        installation_id=head.id,
        series=series.series,
        year=series.year,
        ordinal=ordinal,
        number=lifecycle.number_text(ctx, series.series, series.year, ordinal),
        held=holding is not None,
        issue_date=None if holding is None else holding.issue_date,
        total=None if holding is None else holding.total,
        state=None if holding is None else holding.state.value,
        fingerprint=None if holding is None else holding.fingerprint,
    )


async def _give_up(ctx: Context, head: ChainHeadRow, hindrance: str) -> None:
    """Give no more numbers in the issuer's series, and let the account go on in others."""
    issuer = _issuer(ctx, head)
    of_issuer = await _series_of(ctx, issuer)
    begun_series = {series for series, _ in await numbers.known_counters(ctx)}
    for series in sorted(begun_series | set(of_issuer.values())):
        await issuer_series.retire(ctx.db, issuer, series)
    changes: dict[str, tuple[object, object]] = {}
    if issuance_series.is_present(ctx, issuer):
        new = dict(of_issuer)
        for kind, old_name in of_issuer.items():
            new[kind] = await issuer_series.hold_another(ctx.db, issuer, old_name, begun_series | set(new.values()))
            changes[f"series.{kind}"] = (old_name, new[kind])
        await accounts.change_series(ctx, new)
    await activity.record(ctx, "series_changed", ("team", ctx.account.id), ctx.account.name, changes)
    await records.change(ctx, fiscal_installation, head.id, Values(ChainHeadRow, numbers=RENAMED))
    renamed = ", ".join(f"{old} → {new}" for old, new in changes.values())
    detail = f"{renamed} ({hindrance})" if renamed else hindrance
    await notify_once(ctx, IssuerChain(head.id, head.issuer_tax_id), Trouble.SERIES_RENAMED, detail)
    log.warning("series were given up", installation=head.id.hex, series=renamed, reason=hindrance)


def _issuer(ctx: Context, head: ChainHeadRow) -> SeriesIssuer:
    return SeriesIssuer(account_id=ctx.account.id, country=ctx.account.country, tax_id=head.issuer_tax_id)


async def _series_of(ctx: Context, issuer: SeriesIssuer) -> dict[str, str]:
    """Return the series by kind in which the issuer goes on, as the account's profile was read under the lock."""
    if issuance_series.is_present(ctx, issuer):
        return {kind.value: prefix(ctx.account.series, ctx.country, kind) for kind in DocumentKind}
    return {kind.value: await issuance_series.held_for_earlier(ctx, issuer, kind) for kind in DocumentKind}


class _NumberRow(Row):
    number: str


_of_issuer = (
    fiscal_record.c.environment == bindparam("environment", type_=Text),
    fiscal_record.c.issuer_tax_id == bindparam("issuer_tax_id", type_=Text),
)
_NEWEST = Prepared(
    select(fiscal_record).where(*_of_issuer).order_by(fiscal_record.c.id.desc()).limit(1), FiscalRecordRow
)
_TAKEN = (State.ACCEPTED, State.ACCEPTED_WITH_ERRORS)
_ACCEPTED = Prepared(
    select(fiscal_record.c.number)
    .join(fiscal_status, fiscal_status.c.record_id == fiscal_record.c.id)
    .where(
        *_of_issuer,
        fiscal_record.c.issue_date >= bindparam("since", type_=Date),
        or_(
            *(fiscal_status.c.state == constant(state.value) for state in (State.ACCEPTED, State.ACCEPTED_WITH_ERRORS))
        ),
    )
    .order_by(fiscal_record.c.id.desc())
    .limit(1),
    _NumberRow,
)
