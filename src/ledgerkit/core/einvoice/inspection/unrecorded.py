"""Documents that have a number and no fiscal record, with the reason and the remedy of each."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import DateTime, Subquery, and_, bindparam, exists, false, func, or_, select

from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.chain.api import ImportedDocument, UnrecordedDocument, UnrecordedDocuments
from ledgerkit.core.einvoice.inspection.texts import InspectionMsg
from ledgerkit.core.einvoice.table import fiscal_record
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared, constant
from ledgerkit.core.platform.documents.einvoicing_state import Off
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices.documents import issued as issued_documents
from ledgerkit.core.sales.invoices.documents.issued import ImportedRow
from ledgerkit.texts import text

MOST_NAMED = 100


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def list_unrecorded(ctx: Context) -> UnrecordedDocuments:
    """Return numbered documents that lack a needed record, and the number of others without one, by reason.

    These documents need a record: those that earlier versions numbered after the account's first record in this
    environment, and those without a reason for having none. Documents that were numbered before the first record, or
    under a regime with records elsewhere, need none. The oldest 100 are named, and the oldest 100 documents of another
    program that are dated since the first record.
    """
    first_record = await heads.first_record_stored_at(ctx)
    since = await issued_documents.first_recorded_day(ctx)
    imported = [] if since is None else await issued_documents.imported_since(ctx, since, MOST_NAMED)
    return UnrecordedDocuments(
        count=(await _COUNT.one(ctx.db, first_record=first_record)).documents,
        documents=[_view(ctx, row) for row in await _OLDEST.rows(ctx.db, first_record=first_record)],
        others={row.unrecorded: row.documents for row in await _OTHERS.rows(ctx.db, first_record=first_record)},
        imported_count=imported[0].count if imported else 0,
        imported=[_imported_view(ctx, row) for row in imported],
    )


class UnrecordedDocumentRow(Row):
    id: UUID
    number: str
    issue_date: date
    issued_at: datetime
    deleted_at: datetime | None


class _CountRow(Row):
    documents: int


class _CountByReasonRow(_CountRow):
    unrecorded: str


def _without_record() -> Subquery:
    all_documents = issued_documents.issued_documents().subquery()
    recorded = exists().where(fiscal_record.c.invoice_id == all_documents.c.id)
    return select(all_documents).where(~recorded).subquery()


_MISSING = _without_record()
_AFTER_FIRST = _MISSING.c.issued_at >= bindparam("first_record", type_=DateTime(timezone=True))
_OF_OTHER_REGIME = func.coalesce(_MISSING.c.unrecorded == constant(Off.REGIME.value), false())
_IS_OWING = or_(and_(func.coalesce(_AFTER_FIRST, false()), ~_OF_OTHER_REGIME), _MISSING.c.unrecorded.is_(None))
_NUMBER = func.count().label("documents")
_COUNT = Prepared(select(_NUMBER).select_from(_MISSING).where(_IS_OWING), _CountRow)
_OLDEST = Prepared(
    select(*(_MISSING.c[name] for name in ("id", "number", "issue_date", "issued_at", "deleted_at")))
    .where(_IS_OWING)
    .order_by(_MISSING.c.issued_at, _MISSING.c.id)
    .limit(MOST_NAMED),
    UnrecordedDocumentRow,
)
_OTHERS = Prepared(
    select(_MISSING.c.unrecorded, _NUMBER).where(~_IS_OWING).group_by(_MISSING.c.unrecorded), _CountByReasonRow
)


def _view(ctx: Context, row: UnrecordedDocumentRow) -> UnrecordedDocument:
    remedy = InspectionMsg.EMIT_IT if row.deleted_at is None else InspectionMsg.RESTORE_AND_EMIT_IT
    return UnrecordedDocument(
        invoice_id=str(row.id),
        number=row.number,
        issue_date=row.issue_date,
        issued_at=row.issued_at,
        deleted=row.deleted_at is not None,
        remedy=text(remedy, id=row.id).in_language(ctx.request_metadata.language),
    )


def _imported_view(ctx: Context, row: ImportedRow) -> ImportedDocument:
    return ImportedDocument(
        invoice_id=str(row.id),
        number=row.number,
        issue_date=row.issue_date,
        imported_at=row.created_at,
        remedy=text(InspectionMsg.IMPORTED_LATER).in_language(ctx.request_metadata.language),
    )
