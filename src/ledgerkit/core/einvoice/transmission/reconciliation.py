"""Comparing a month with what the authority holds of it, and sending again after the authority had stopped it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from sqlalchemy import and_, func, select, update

from ledgerkit.core.database.transactions import retry_on_conflict
from ledgerkit.core.einvoice.certificates.access import require_authority_access
from ledgerkit.core.einvoice.models import fiscal_installation, fiscal_record, fiscal_status
from ledgerkit.core.einvoice.outbox import incidents, retry_policy
from ledgerkit.core.einvoice.outbox.models import fiscal_sender
from ledgerkit.core.einvoice.outbox.retry_policy import Trouble
from ledgerkit.core.einvoice.schemas import Difference, Reconciliation
from ledgerkit.core.einvoice.transmission import answers, messages, queries, unknown_outcomes
from ledgerkit.core.einvoice.transmission.answers import OutcomeSource, OutcomeUpdate
from ledgerkit.core.einvoice.transmission.queries import Inquiry
from ledgerkit.core.einvoice.transmission.unknown_outcomes import HeldRecord, Identity
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Effect, Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.problems import BadGateway, Code, Invalid, bilingual
from ledgerkit.providers.api import Environment, Heading, Question, State

Kind = Literal["missing_there", "unknown_here", "other_state", "other_record"]

_REMEDIES: dict[Kind, str] = {
    "missing_there": "The authority took it and does not show it. Keep its receipt (CSV) and ask the authority.",
    "unknown_here": "Another system, or an installation that a restore has lost, reported it. Look for it there; "
    "if nobody made it, ask the authority.",
    "other_state": "Somebody told the authority otherwise, for instance by its web form. Look there, then put it "
    "right here: annul the invoice, or emit it again.",
    "other_record": "The authority holds a record of this number that was not made here. Find the system that made "
    "it; where it is wrong, emit the invoice again.",
}
_REPAIRED = "Nothing: what the authority holds was adopted here."


@dataclass(frozen=True)
class _Month:
    """The records here of a month, by document, each with its state; the newest of all for the heading."""

    year: int
    month: int
    records: Mapping[Identity, Sequence[Any]]
    newest: Any


@operation(
    Permission.EINVOICE_MANAGE,
    name="einvoice.sending.reconciling.reconcile",
    unit=Unit.OWN,
    effects=Effect.IDEMPOTENT | Effect.OPEN_WORLD,
)
async def reconcile(ctx: Context, year: int, month: int) -> Reconciliation:
    """Compare what was operated in a month with what the authority holds of it; what it is safe to repair, repair.

    Safe is only one thing: to adopt what became of a record that waits here for its answer. Raises Invalid where
    there is nothing to compare or the authority cannot be asked, BadGateway when it does not answer.
    """
    here = await _here(ctx, year, month)
    held = await _there(ctx, here)
    found, repairs = _compared(here, held, await _ours(ctx, held))

    async def attempt() -> None:
        async with ctx.transaction() as inner:
            await answers.apply_outcomes(inner, [_adopted(record, one) for record, one in repairs])

    await retry_on_conflict(attempt)
    return Reconciliation(
        issuer_tax_id=here.newest.issuer_tax_id,
        environment=here.newest.environment,
        year=year,
        month=month,
        documents_here=len(here.records),
        documents_there=len(held),
        differences=found,
    )


@operation(
    Permission.EINVOICE_MANAGE,
    name="einvoice.sending.reconciling.resume",
    unit=Unit.OWN,
    effects=Effect.IDEMPOTENT | Effect.OPEN_WORLD,
)
async def resume(ctx: Context) -> int:
    """Send again what the authority had stopped, and try at once what waits after a failure; how many chains."""

    async def attempt() -> int:
        async with ctx.transaction() as inner:
            mine = fiscal_sender.c.account_id == ctx.account.id
            waits = and_(mine, fiscal_sender.c.waiting > 0)
            held_up = select(fiscal_sender.c.installation_id).where(waits)
            chains = (
                await inner.db.execute(select(fiscal_installation).where(fiscal_installation.c.id.in_(held_up)))
            ).all()
            for chain in chains:
                await incidents.end(inner, incidents.IssuerChain(chain.id, chain.issuer_tax_id), [Trouble.STOPPED])
            at_once = {"stopped_at": None, "failures": 0, "due_at": func.now(), "allowed_at": func.now()}
            await inner.db.execute(update(fiscal_sender).where(waits).values(at_once))
            return len(chains)

    return await retry_on_conflict(attempt)


async def _here(ctx: Context, year: int, month: int) -> _Month:
    first = date(year, month, 1)
    after = date(year + month // 12, month % 12 + 1, 1)
    record, status = fiscal_record.c, fiscal_status.c
    query = (
        select(fiscal_record, status.state)
        .join(fiscal_status, status.record_id == record.id)
        .where(
            record.operated_on >= first,
            record.operated_on < after,
            record.environment == ctx.settings.einvoice_env.value,
            record.issuer_tax_id == ctx.account.tax_id,
        )
        .order_by(record.id)
    )
    async with ctx.reading() as inner:
        rows = (await inner.db.execute(query)).all()
    if not rows:
        raise bilingual(
            Invalid,
            (
                f"There are no records of {year:04d}-{month:02d} here.",
                "Choose a month in which invoices were emitted, and the environment they were emitted in.",
            ),
            (
                f"Aquí no hay registros de {year:04d}-{month:02d}.",
                "Elige un mes en que se emitieran facturas, y el entorno en que se emitieron.",
            ),
        )
    by_document: dict[Identity, list[Any]] = defaultdict(list)
    for row in rows:
        by_document[row.number, row.issue_date].append(row)
    return _Month(year, month, by_document, rows[-1])


async def _there(ctx: Context, here: _Month) -> dict[Identity, HeldRecord]:
    newest = here.newest
    channel = messages.channel_of_record(ctx, newest)
    if channel is None or channel.asks is None:
        raise bilingual(
            Invalid,
            (
                f"The channel {newest.channel} cannot be asked what its authority holds.",
                "Compare by the authority's own pages.",
            ),
            (
                f"Al canal {newest.channel} no se le puede preguntar qué tiene su administración.",
                "Compáralo en las páginas de la propia administración.",
            ),
            code=Code.EINVOICE_UNSUPPORTED,
        )
    async with ctx.reading() as inner:
        way = await require_authority_access(inner, channel, Environment(newest.environment), newest.issuer_tax_id)
    inquiry = Inquiry(
        channel=channel,
        asks=channel.asks,
        environment=Environment(newest.environment),
        heading=Heading(issuer=messages.issuer_of(newest), representative=way.representative),
        access=way.access,
        installation_id=newest.installation_id,
    )
    held: dict[Identity, HeldRecord] = {}
    async for page in queries.pages(ctx, inquiry, Question(year=here.year, month=here.month)):
        if page.answer.failure is not None:
            raise bilingual(
                BadGateway,
                (
                    f"The authority did not say what it holds: {page.answer.failure}",
                    "Try again later; records that wait go on being sent meanwhile.",
                ),
                (
                    f"La administración tributaria no ha dicho qué tiene: {page.answer.failure}",
                    "Inténtalo más tarde; los registros que esperan se siguen enviando entretanto.",
                ),
                code=Code.AUTHORITY_SILENT,
            )
        held |= {(one.number, one.issue_date): HeldRecord(one, page.query_id) for one in page.answer.holdings}
    return held


async def _ours(ctx: Context, held: Mapping[Identity, HeldRecord]) -> dict[str, Any]:
    async with ctx.reading() as inner:
        return await unknown_outcomes.records_by_fingerprint(inner, [one.holding.fingerprint for one in held.values()])


def _compared(
    here: _Month, held: Mapping[Identity, HeldRecord], ours: Mapping[str, Any]
) -> tuple[list[Difference], list[tuple[Any, HeldRecord]]]:
    """What differs, and the records that wait for an answer which the authority has just given."""
    differences, repairs = [], []
    for identity, records in here.records.items():
        one = held.get(identity)
        waiting = [] if one is None else _told_of(records, one)
        repairs += [(record, one) for record in waiting if one is not None]
        kind = None if waiting else _difference(records, one)
        if waiting or kind:
            differences.append(_said(identity, records[-1], one, kind))
    strangers = [
        one for identity, one in held.items() if identity not in here.records and one.holding.fingerprint not in ours
    ]
    differences += [_said((one.holding.number, one.holding.issue_date), None, one, "unknown_here") for one in strangers]
    return differences, repairs


def _told_of(records: Sequence[Any], one: HeldRecord) -> list[Any]:
    """The records of a document without an answer that the holding answers: the one it shows."""
    shown = [record for record in records if record.fingerprint == one.holding.fingerprint]
    return [record for record in shown if State(record.state) in retry_policy.AWAITING_ANSWER]


def _adopted(record: Any, one: HeldRecord) -> OutcomeUpdate:
    outcome = unknown_outcomes.outcome_from_holding(record, one.holding, {})
    assert outcome is not None  # noqa: S101 - the holding has the record's own fingerprint
    return OutcomeUpdate(record, outcome, OutcomeSource(query_id=one.query_id), settled=True)


def _difference(records: Sequence[Any], one: HeldRecord | None) -> Kind | None:
    taken = [record for record in records if State(record.state) not in {*retry_policy.AWAITING_ANSWER, State.REJECTED}]
    if one is None:
        return "missing_there" if taken else None
    shown = next((record for record in records if record.fingerprint == one.holding.fingerprint), None)
    if shown is None:
        return "other_record"
    if taken and taken[-1].id != shown.id and taken[-1].position > shown.position:
        return "missing_there"
    return None if _state_here(shown) is one.holding.state else "other_state"


def _state_here(record: Any) -> State:
    return State.ANNULLED if record.kind == "annul" and State(record.state) is State.ACCEPTED else State(record.state)


def _said(identity: Identity, record: Any, one: HeldRecord | None, kind: Kind | None) -> Difference:
    return Difference(
        kind=kind or "other_state",
        number=identity[0],
        issue_date=identity[1],
        invoice_id=None if record is None else str(record.invoice_id),
        here=None if record is None else State(record.state).value,
        there=None if one is None else one.holding.state.value,
        repaired=kind is None,
        remedy=_REPAIRED if kind is None else _REMEDIES[kind],
    )
