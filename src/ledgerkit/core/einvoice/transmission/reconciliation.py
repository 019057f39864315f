"""Reconciliation of a month with the authority's records, and resumption after the authority stopped sending."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from sqlalchemy import Date, Text, Uuid, and_, bindparam, func, select, update

from ledgerkit.core.einvoice.api import Difference, Reconciliation
from ledgerkit.core.einvoice.certificates.access import require_authority_access
from ledgerkit.core.einvoice.outbox import incidents, retry_policy
from ledgerkit.core.einvoice.outbox.retry_policy import Trouble
from ledgerkit.core.einvoice.outbox.table import fiscal_sender
from ledgerkit.core.einvoice.table import (
    ChainHeadRow,
    FiscalRecordRow,
    fiscal_installation,
    fiscal_record,
    fiscal_status,
)
from ledgerkit.core.einvoice.texts import EInvoiceMsg
from ledgerkit.core.einvoice.transmission import answers, fiscal_messages, inquiries, unknown_outcomes
from ledgerkit.core.einvoice.transmission.answers import OutcomeSource, OutcomeUpdate
from ledgerkit.core.einvoice.transmission.inquiries import Inquiry
from ledgerkit.core.einvoice.transmission.unknown_outcomes import DocumentKey, HeldRecord
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import BadGateway, Code, Invalid
from ledgerkit.providers.api import NUMBER_TAKEN, Environment, Heading, Question, State
from ledgerkit.texts import text

Kind = Literal["missing_there", "unknown_here", "other_state", "other_record", "number_taken"]

_REMEDIES: dict[Kind, EInvoiceMsg] = {
    "missing_there": EInvoiceMsg.DIFFERENCE_MISSING_THERE,
    "unknown_here": EInvoiceMsg.DIFFERENCE_UNKNOWN_HERE,
    "other_state": EInvoiceMsg.DIFFERENCE_OTHER_STATE,
    "other_record": EInvoiceMsg.DIFFERENCE_OTHER_RECORD,
    "number_taken": EInvoiceMsg.DIFFERENCE_NUMBER_TAKEN,
}


class _RecordRow(FiscalRecordRow):
    state: str
    code: str | None
    burnt: str | None


@dataclass(frozen=True)
class _StoredMonth:
    """The records stored here of a month, by document, each with its state; `newest` names issuer and channel."""

    year: int
    month: int
    records: Mapping[DocumentKey, Sequence[_RecordRow]]
    newest: _RecordRow


@operation(Permission.EINVOICE_MANAGE, unit=Unit.OWN, effects=Effect.IDEMPOTENT | Effect.OPEN_WORLD, proposable=False)
async def reconcile(ctx: Context, year: int, month: int) -> Reconciliation:
    """Compare a month's operations with the authority's records of them, and repair the safe differences.

    The only safe repair is to adopt the outcome of a record that waits for its answer. Raises Invalid where there is
    nothing to compare or the authority cannot be asked, BadGateway when it does not answer.
    """
    stored_month = await _records_here(ctx, year, month)
    held_records = await _records_held(ctx, stored_month)
    fingerprints = [held_record.holding.fingerprint for held_record in held_records.values()]
    own_records = await ctx.read(lambda inner: unknown_outcomes.records_by_fingerprint(inner, fingerprints))
    differences, repairs = _compare(ctx, stored_month, held_records, own_records.keys())
    await ctx.transact(
        lambda inner: answers.apply_outcomes(inner, [_adopted(record, held_record) for record, held_record in repairs])
    )
    return Reconciliation(
        issuer_tax_id=stored_month.newest.issuer_tax_id,
        environment=stored_month.newest.environment,
        year=year,
        month=month,
        documents_here=len(stored_month.records),
        documents_there=len(held_records),
        differences=differences,
    )


@operation(Permission.EINVOICE_MANAGE, unit=Unit.OWN, effects=Effect.IDEMPOTENT | Effect.OPEN_WORLD, proposable=False)
async def resume(ctx: Context) -> int:
    """Resume chains that the authority stopped, retry at once those that wait after a failure; return their number."""

    async def attempt(inner: Context) -> int:
        waits = and_(fiscal_sender.c.account_id == ctx.account.id, fiscal_sender.c.waiting > 0)
        chains = await _WAITING_CHAINS.rows(inner.db, account_id=ctx.account.id)
        for chain in chains:
            await incidents.end(inner, incidents.IssuerChain(chain.id, chain.issuer_tax_id), [Trouble.STOPPED])
        at_once = {"stopped_at": None, "failures": 0, "due_at": func.now(), "allowed_at": func.now()}
        await inner.db.execute(update(fiscal_sender).where(waits).values(at_once))
        return len(chains)

    return await ctx.transact(attempt)


_WAITING = select(fiscal_sender.c.installation_id).where(
    fiscal_sender.c.account_id == bindparam("account_id", type_=Uuid), fiscal_sender.c.waiting > 0
)
_WAITING_CHAINS = Prepared(select(fiscal_installation).where(fiscal_installation.c.id.in_(_WAITING)), ChainHeadRow)


def _operated_statement() -> Prepared[_RecordRow]:
    record, status = fiscal_record.c, fiscal_status.c
    query = (
        select(fiscal_record, status.state, status.code, status.burnt)
        .join(fiscal_status, status.record_id == record.id)
        .where(
            record.operated_on >= bindparam("first", type_=Date),
            record.operated_on < bindparam("after", type_=Date),
            record.environment == bindparam("environment", type_=Text),
            record.issuer_tax_id == bindparam("issuer_tax_id", type_=Text),
        )
        .order_by(record.id)
    )
    return Prepared(query, _RecordRow)


_OPERATED = _operated_statement()


async def _records_here(ctx: Context, year: int, month: int) -> _StoredMonth:
    first = date(year, month, 1)
    after = date(year + month // 12, month % 12 + 1, 1)
    issuer = {"environment": ctx.settings.einvoice_env.value, "issuer_tax_id": ctx.account.tax_id}
    async with ctx.reading() as inner:
        rows = await _OPERATED.rows(inner.db, first=first, after=after, **issuer)
    if not rows:
        raise Invalid(EInvoiceMsg.NO_RECORDS_OF_MONTH, year=f"{year:04d}", month=f"{month:02d}")
    by_document: dict[DocumentKey, list[_RecordRow]] = defaultdict(list)
    for row in rows:
        if row.burnt is None:  # under a number that was given up the authority holds somebody else's document
            by_document[row.number, row.issue_date].append(row)
    return _StoredMonth(year, month, by_document, rows[-1])


async def _records_held(ctx: Context, stored_month: _StoredMonth) -> dict[DocumentKey, HeldRecord]:
    newest = stored_month.newest
    channel = fiscal_messages.channel_of_record(ctx, newest)
    if channel is None or channel.asks is None:
        raise Invalid(EInvoiceMsg.CHANNEL_CANNOT_BE_ASKED, code=Code.EINVOICE_UNSUPPORTED, channel=newest.channel)
    async with ctx.reading() as inner:
        access = await require_authority_access(inner, channel, Environment(newest.environment), newest.issuer_tax_id)
    inquiry = Inquiry(
        channel=channel,
        asks=channel.asks,
        environment=Environment(newest.environment),
        heading=Heading(issuer=fiscal_messages.issuer_of(newest), representative=access.representative),
        access=access.access,
        installation_id=newest.installation_id,
    )
    held_records: dict[DocumentKey, HeldRecord] = {}
    async for page in inquiries.pages(ctx, inquiry, Question(year=stored_month.year, month=stored_month.month)):
        if page.answer.failure is not None:
            raise BadGateway(EInvoiceMsg.AUTHORITY_SILENT, code=Code.AUTHORITY_SILENT, failure=page.answer.failure)
        for holding in page.answer.holdings:
            held_records[holding.number, holding.issue_date] = HeldRecord(holding, page.query_id)
    return held_records


def _compare(
    ctx: Context,
    stored_month: _StoredMonth,
    held_records: Mapping[DocumentKey, HeldRecord],
    own_fingerprints: Collection[str],
) -> tuple[list[Difference], list[tuple[_RecordRow, HeldRecord]]]:
    """Return the differences, and the records that wait for an answer which the authority has just given.

    `own_fingerprints` are those of the held records that are records of this account, of any month.
    """
    differences, repairs, language = [], [], ctx.request_metadata.language
    for document, records in stored_month.records.items():
        held_record = held_records.get(document)
        answered_records = [] if held_record is None else _answered_by(records, held_record)
        repairs += [(record, held_record) for record in answered_records if held_record is not None]
        kind = None if answered_records else _difference_kind(records, held_record)
        if answered_records or kind:
            total = _total(ctx, records)
            differences.append(_difference(document, records[-1], held_record, kind, language=language, total=total))
    for document, held_record in held_records.items():
        if document not in stored_month.records and held_record.holding.fingerprint not in own_fingerprints:
            differences.append(_difference(document, None, held_record, "unknown_here", language=language))
    return differences, repairs


def _answered_by(records: Sequence[_RecordRow], held_record: HeldRecord) -> list[_RecordRow]:
    """Return the record that the authority shows, if it still waits for its answer here."""
    matching_records = [record for record in records if record.fingerprint == held_record.holding.fingerprint]
    return [record for record in matching_records if State(record.state) in retry_policy.AWAITING_ANSWER]


def _adopted(record: _RecordRow, held_record: HeldRecord) -> OutcomeUpdate:
    outcome = unknown_outcomes.outcome_from_holding(record, held_record.holding, {})
    assert outcome is not None  # noqa: S101 - the holding has the record's own fingerprint
    return OutcomeUpdate(record, outcome, OutcomeSource(query_id=held_record.query_id))


def _difference_kind(records: Sequence[_RecordRow], held_record: HeldRecord | None) -> Kind | None:
    without_effect = {*retry_policy.AWAITING_ANSWER, State.REJECTED}
    accepted = [record for record in records if State(record.state) not in without_effect]
    if _is_taken(records, held_record):
        return "number_taken"
    if held_record is None:
        return "missing_there" if accepted else None
    matching_record = next(
        (record for record in records if record.fingerprint == held_record.holding.fingerprint), None
    )
    if matching_record is None:
        return "other_record"
    if accepted and accepted[-1].id != matching_record.id and accepted[-1].position > matching_record.position:
        return "missing_there"
    return None if _expected_state(matching_record) is held_record.holding.state else "other_state"


def _is_taken(records: Sequence[_RecordRow], held_record: HeldRecord | None) -> bool:
    """Return True when the newest record was refused for a document of somebody else, which is there still."""
    newest = records[-1]
    if newest.state != State.REJECTED or newest.code != NUMBER_TAKEN:
        return False
    return held_record is None or held_record.holding.fingerprint not in {record.fingerprint for record in records}


def _total(ctx: Context, records: Sequence[_RecordRow]) -> Decimal | None:
    """Return the total that the newest record of the document itself reports; None where it cannot be read."""
    issued = next((record for record in reversed(records) if record.kind == "issue"), None)
    channel = None if issued is None else fiscal_messages.channel_of_record(ctx, issued)
    if issued is None or channel is None or channel.audits is None:
        return None
    return channel.audits.amounts(issued.content).gross_total


def _expected_state(record: _RecordRow) -> State:
    """Return the state that the authority shows for a record with the state stored here."""
    state = State(record.state)
    return State.ANNULLED if record.kind == "annul" and state is State.ACCEPTED else state


def _difference(
    document: DocumentKey,
    record: _RecordRow | None,
    held_record: HeldRecord | None,
    kind: Kind | None,
    *,
    language: str,
    total: Decimal | None = None,
) -> Difference:
    """Describe a difference; without a `kind` it has been repaired. `total` is what was reported from here."""
    remedy = EInvoiceMsg.DIFFERENCE_REPAIRED if kind is None else _REMEDIES[kind]
    number, issue_date = document
    return Difference(
        kind=kind or "other_state",
        number=number,
        issue_date=issue_date,
        invoice_id=None if record is None else str(record.invoice_id),
        here=None if record is None else State(record.state).value,
        there=None if held_record is None else held_record.holding.state.value,
        total_here=total,
        total_there=None if held_record is None else held_record.holding.total,
        repaired=kind is None,
        remedy=text(remedy).in_language(language),
    )
