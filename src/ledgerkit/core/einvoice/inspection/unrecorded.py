"""Documents that have a number and no fiscal record: which, why, and what is to be done about each."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Subquery, exists, false, func, or_, select

from ledgerkit.core.einvoice.chain import heads
from ledgerkit.core.einvoice.chain.schemas import UnrecordedDocument, UnrecordedDocuments
from ledgerkit.core.einvoice.models import fiscal_record
from ledgerkit.core.invoices import issued_documents
from ledgerkit.core.request.context import Context
from ledgerkit.core.request.operation import Unit, operation
from ledgerkit.core.request.permissions import Permission
from ledgerkit.texts import ENGLISH

MOST_NAMED = 100

_EMIT = {
    "en": 'Emit it (POST /api/einvoice/emit {{"invoiceId": "{id}"}}): it keeps its number and date, and its record, '
    "made at that moment, goes to the end of the chain. What the check refuses is mended first: "
    "PUT /api/invoices/{id}.",
    "es": 'Emítelo (POST /api/einvoice/emit {{"invoiceId": "{id}"}}): conserva su número y su fecha, y su registro, '
    "hecho en ese momento, va al final de la cadena. Lo que la comprobación rechace se corrige antes: "
    "PUT /api/invoices/{id}.",
}
_RESTORE = {
    "en": "It was deleted: bring it back (POST /api/invoices/{id}/restore) and emit it; if it should never have been "
    "issued, annul it afterwards (POST /api/einvoice/annul).",
    "es": "Está borrado: recupéralo (POST /api/invoices/{id}/restore) y emítelo; si nunca debió expedirse, anúlalo "
    "después (POST /api/einvoice/annul).",
}
"""What to do, in each language that callers ask for."""


@operation(Permission.EINVOICE_READ, unit=Unit.READING)
async def documents(ctx: Context) -> UnrecordedDocuments:
    """Numbered documents without a record: those that owe one, and how many others there are, by reason.

    A record is owed by what was numbered after the account's first record in this environment, which only earlier
    versions did, and by what says that it has one. What was numbered before the first record owes none.
    """
    missing = _without_record()
    owing = _owing(missing, await heads.first_record_stored_at(ctx))
    count = select(func.count()).select_from(missing).where(owing)
    named = select(missing).where(owing).order_by(missing.c.issued_at, missing.c.id).limit(MOST_NAMED)
    number = func.count().label("number_of_them")
    others = select(missing.c.unrecorded, number).where(~owing).group_by(missing.c.unrecorded)
    return UnrecordedDocuments(
        count=(await ctx.db.execute(count)).scalar_one(),
        documents=[_shown(ctx, row) for row in await ctx.db.execute(named)],
        others={row.unrecorded: row.number_of_them for row in await ctx.db.execute(others)},
    )


def _without_record() -> Subquery:
    known = issued_documents.issued_documents().subquery()
    recorded = exists().where(fiscal_record.c.invoice_id == known.c.id)
    return select(known).where(~recorded).subquery()


def _owing(missing: Subquery, first_record: datetime | None) -> ColumnElement[bool]:
    late = false() if first_record is None else missing.c.issued_at >= first_record
    return or_(late, missing.c.unrecorded.is_(None))


def _shown(ctx: Context, row: Any) -> UnrecordedDocument:
    remedy = _EMIT if row.deleted_at is None else _RESTORE
    return UnrecordedDocument(
        invoice_id=str(row.id),
        number=row.number,
        issue_date=row.issue_date,
        issued_at=row.issued_at,
        deleted=row.deleted_at is not None,
        remedy=remedy.get(ctx.request_metadata.language, remedy[ENGLISH]).format(id=row.id),
    )
