"""Documents that have a number and no fiscal record, with the reason and the remedy of each."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Subquery, exists, false, func, or_, select

from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.chain.schemas import UnrecordedDocument, UnrecordedDocuments
from ledgerkit.core.einvoice.inspection.messages import InspectionMsg
from ledgerkit.core.einvoice.models import fiscal_record
from ledgerkit.core.invoices import issued_documents
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.texts import text

MOST_NAMED = 100


@operation(Permission.EINVOICE_READ, name="einvoice.inspection.unrecorded.documents", unit=Unit.READING)
async def documents(ctx: Context) -> UnrecordedDocuments:
    """Return numbered documents that lack the record they owe, and the number of others without one, by reason.

    A record is owed by documents that were numbered after the account's first record in this environment, as earlier
    versions did, and by those without a reason for having none. Documents that were numbered before the first record
    owe none. The oldest 100 are named.
    """
    missing = _without_record()
    owing = _owing(missing, await heads.first_record_stored_at(ctx))
    count = select(func.count()).select_from(missing).where(owing)
    oldest = select(missing).where(owing).order_by(missing.c.issued_at, missing.c.id).limit(MOST_NAMED)
    number = func.count().label("number_of_them")
    others = select(missing.c.unrecorded, number).where(~owing).group_by(missing.c.unrecorded)
    return UnrecordedDocuments(
        count=(await ctx.db.execute(count)).scalar_one(),
        documents=[_view(ctx, row) for row in await ctx.db.execute(oldest)],
        others={row.unrecorded: row.number_of_them for row in await ctx.db.execute(others)},
    )


def _without_record() -> Subquery:
    all_documents = issued_documents.issued_documents().subquery()
    recorded = exists().where(fiscal_record.c.invoice_id == all_documents.c.id)
    return select(all_documents).where(~recorded).subquery()


def _owing(missing: Subquery, first_record: datetime | None) -> ColumnElement[bool]:
    after_first = false() if first_record is None else missing.c.issued_at >= first_record
    return or_(after_first, missing.c.unrecorded.is_(None))


def _view(ctx: Context, row: Any) -> UnrecordedDocument:
    remedy = InspectionMsg.EMIT_IT if row.deleted_at is None else InspectionMsg.RESTORE_AND_EMIT_IT
    return UnrecordedDocument(
        invoice_id=str(row.id),
        number=row.number,
        issue_date=row.issue_date,
        issued_at=row.issued_at,
        deleted=row.deleted_at is not None,
        remedy=text(remedy, id=row.id).in_language(ctx.request_metadata.language),
    )
