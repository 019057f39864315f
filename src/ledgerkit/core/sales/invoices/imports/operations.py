"""Import issued documents of other software, all documents of a file or none, with their numbers and dates, locked."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

import asyncpg

from ledgerkit.core.platform import records
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.database.ids import new_id
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.documents.origin import EXTERNAL
from ledgerkit.core.platform.event_loop.garbage import collection_paused
from ledgerkit.core.platform.event_loop.turns import in_turns
from ledgerkit.core.platform.identity.accounts import issuer_series
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.accounts.issuer_series import SeriesIssuer
from ledgerkit.core.platform.imports import rows as file_rows
from ledgerkit.core.platform.imports.api import DocumentRows, DocumentsImported
from ledgerkit.core.platform.imports.cells import RowError
from ledgerkit.core.platform.imports.rows import Report
from ledgerkit.core.platform.imports.texts import ImportMsg
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.sales.invoices import acts
from ledgerkit.core.sales.invoices.api import InvoiceClientInput, InvoiceFields
from ledgerkit.core.sales.invoices.content import buyers
from ledgerkit.core.sales.invoices.content.buyers import Buyer
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent
from ledgerkit.core.sales.invoices.documents import issued as issued_documents
from ledgerkit.core.sales.invoices.imports import documents, numbers
from ledgerkit.core.sales.invoices.imports.columns import COLUMNS
from ledgerkit.core.sales.invoices.imports.documents import ExternalDocument, Group
from ledgerkit.core.sales.invoices.imports.numbers import OwnPlace
from ledgerkit.core.sales.invoices.json_columns.codecs import ISSUER, StoredIssuer
from ledgerkit.core.sales.invoices.posting import effects
from ledgerkit.core.sales.invoices.posting.effects import ConvertedAmounts, CountedAmounts
from ledgerkit.core.sales.invoices.table import CHANGES, InvoicePaymentRow, InvoiceRow, invoice, invoice_payment
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.money import ZERO
from ledgerkit.problems import Invalid
from ledgerkit.texts import text

MOST_NAMED = 10
"""Documents that a warning about several names."""


@operation(Permission.INVOICES_ISSUE, act=acts.IMPORT)
async def import_documents(ctx: Context, data: DocumentRows) -> DocumentsImported:
    """Store the documents of other software that the rows state; with any error none of them.

    They keep their numbers and dates, count in books, reports and declarations, and are locked: no fiscal record is
    made of them. A number that exists already is an error. With `dryRun` nothing is stored.
    """
    with collection_paused():  # thousands of rows and documents, which are looked through in vain until all is stored
        return await _imported(ctx, data)


async def _imported(ctx: Context, data: DocumentRows) -> DocumentsImported:
    report = Report()
    if not data.dry_run:
        ctx = await accounts.with_locked_profile(ctx, exclusive=True)
    rows = await file_rows.read(data.rows, COLUMNS, report)
    batch = await _batch(ctx, await file_rows.grouped(rows, lambda row: row.number), report)
    await _check_numbers(ctx, batch, report)
    originals = await _originals(ctx, batch, report)
    await _warn_of_late(ctx, batch, report)
    if not report.problems and not data.dry_run and batch.documents:
        await _store(ctx, batch, originals)
    total = sum((_total(ctx, document.content) for document in batch.documents), Decimal("0.00"))
    return await report.answer(ctx, batch.documents, rows=len(rows), total=total, dry_run=data.dry_run)


@dataclass
class _Batch:
    """Documents of one import, the clients that they state, and their places in the account's own numbering."""

    documents: list[ExternalDocument] = field(default_factory=list)
    clients: dict[str, InvoiceClientInput] = field(default_factory=dict)
    places: dict[str, OwnPlace] = field(default_factory=dict)


# ---------------------------------------------------------------- reading and checking


async def _batch(ctx: Context, groups: Sequence[Group], report: Report) -> _Batch:
    batch, matched = _Batch(), dict[InvoiceClientInput | None, Buyer]()
    async for group in in_turns(groups):
        number = group[0].fields.number
        try:
            client = documents.client_of(group)
            if client not in matched:
                matched[client] = await buyers.buyer(ctx, InvoiceFields.model_construct(client=client), storing=False)
            document = documents.document(ctx, group, matched[client])
        except (RowError, Invalid) as error:
            report.refuse(group[0].place, number, error)
            continue
        batch.documents.append(document)
        if client is not None:
            batch.clients[number] = client
        if document.content.doc_type != "simplified":  # one stores no client
            for warning in matched[client].warnings:
                report.warnings.append(text(InvoicesMsg.IMPORT_CLIENT_AMBIGUOUS, warning=warning, row=group[0].place))
        place = numbers.own_place(ctx, number, document.content.issue_date)
        if place is not None:
            batch.places[number] = place
    return batch


async def _check_numbers(ctx: Context, batch: _Batch, report: Report) -> None:
    """Refuse the numbers that exist already, and those after ledgerkit's own in the same series."""
    existing = await numbers.existing(ctx, [document.number for document in batch.documents])
    series = await numbers.counters_of(ctx, batch.places.values())
    async for document in in_turns(batch.documents):
        number = document.number
        error = series.refusal(batch.places[number]) if number in batch.places else None
        if number in existing:
            error = RowError(ImportMsg.DUPLICATE, field="number", number=number, existing_id=existing[number])
        if error is not None:
            report.refuse(document.place, number, error)


async def _originals(ctx: Context, batch: _Batch, report: Report) -> Mapping[str, UUID]:
    """Return the stored documents that credit notes of the file correct, by number; warn of numbers nobody knows.

    A credit note that is dated before its original is refused.
    """
    imported = {document.number: document for document in batch.documents}
    outside = [
        document.rectifies for document in batch.documents if document.rectifies and document.rectifies not in imported
    ]
    stored = await numbers.existing(ctx, outside)
    days = await numbers.issue_days(ctx, list(stored))
    async for document in in_turns(batch.documents):
        original = document.rectifies
        if original is None and document.is_credit_note:
            report.warnings.append(text(InvoicesMsg.IMPORT_NOTE_WITHOUT_ORIGINAL, number=document.number))
        if original is not None and original not in imported and original not in stored:
            report.warnings.append(text(InvoicesMsg.IMPORT_ORIGINAL_UNKNOWN, number=document.number, original=original))
        on = imported[original].content.issue_date if original in imported else days.get(original or "")
        if on is not None and document.content.issue_date < on:
            early = RowError(InvoicesMsg.NOTE_BEFORE_ORIGINAL, field="issueDate", number=original, on=on)
            report.refuse(document.place, document.number, early)
        if original in imported and imported[original].is_credit_note:
            error = RowError(InvoicesMsg.CORRECTS_CREDIT_NOTE, field="rectifies")
            report.refuse(document.place, document.number, error)
        if document.is_credit_note and document.content.total > 0:
            report.warnings.append(text(InvoicesMsg.IMPORT_NOTE_POSITIVE, number=document.number))
    return stored


async def _warn_of_late(ctx: Context, batch: _Batch, report: Report) -> None:
    """Warn of documents of the other program that are dated since this one records what the account issues."""
    since = await issued_documents.first_recorded_day(ctx)
    if since is None:
        return
    late = [document.number async for document in in_turns(batch.documents) if document.content.issue_date >= since]
    if late:
        listed = ", ".join(late[:MOST_NAMED]) + (", ..." if len(late) > MOST_NAMED else "")
        warning = text(InvoicesMsg.IMPORT_AFTER_FIRST_RECORD, count=len(late), since=since, listed=listed)
        report.warnings.append(warning)


# ---------------------------------------------------------------- storing


async def _store(ctx: Context, batch: _Batch, originals: Mapping[str, UUID]) -> None:
    """Store the checked documents with their clients, payments, set-offs, counts and activity."""
    stored_documents = await _with_stored_clients(ctx, batch)
    locked = {original_id: await effects.locked(ctx, original_id) for original_id in sorted(set(originals.values()))}
    await _count(ctx, stored_documents)
    await _take_numbers(ctx, batch)
    ids = {document.number: new_id() for document in stored_documents}
    corrected = {**originals, **ids}
    rows = [_row(ctx, document, ids, corrected) async for document in in_turns(stored_documents)]
    # Corrected documents first: a row refers to the one that it corrects.
    for part in (
        [row for row in rows if row["rectifies"] is None or row["rectifies"] in locked],
        [row for row in rows if row["rectifies"] is not None and row["rectifies"] not in locked],
    ):
        if part:
            await records.add_many(ctx, invoice, part)
    await _add_payments(ctx, stored_documents, ids)
    await activity.record_each(
        ctx,
        [
            ("imported", ("invoice", ids[stored_document.number]), stored_document.number, {})
            for stored_document in stored_documents
        ],
    )
    for document in stored_documents:
        if document.rectifies in corrected:
            await _set_off(ctx, ids[document.number])


async def _with_stored_clients(ctx: Context, batch: _Batch) -> list[ExternalDocument]:
    """Return the documents with the clients that they name stored; simplified ones store none."""
    stored: dict[InvoiceClientInput, Buyer] = {}
    result: list[ExternalDocument] = []
    async for document in in_turns(batch.documents):
        client = batch.clients.get(document.number)
        if client is None or document.content.client_id is not None or document.content.doc_type == "simplified":
            result.append(document)
            continue
        if client not in stored:
            stored[client] = await buyers.buyer(ctx, InvoiceFields.model_construct(client=client), storing=True)
        result.append(document.of_client(stored[client]))
    return result


async def _take_numbers(ctx: Context, batch: _Batch) -> None:
    """Let the series go on after the numbers.

    Raises SerializationError, upon which the gate repeats the import, when ledgerkit has given one of them meanwhile.
    """
    places = list(batch.places.values())
    await _use_series(ctx, {place.series for place in places})
    await numbers.lock_series(ctx, places)
    series = await numbers.counters_of(ctx, places)
    given_meanwhile = await numbers.existing(ctx, [document.number for document in batch.documents])
    if given_meanwhile or any(series.is_behind(place) for place in places):
        raise asyncpg.SerializationError
    await numbers.go_past(ctx, places, series)


async def _use_series(ctx: Context, names: Collection[str]) -> None:
    """Note that the account has numbers in these series under its tax identifier, where it has one."""
    if not ctx.account.tax_id:
        return
    issuer = SeriesIssuer(account_id=ctx.account.id, country=ctx.account.country, tax_id=ctx.account.tax_id)
    for name in sorted(names):
        await issuer_series.use(ctx.db, issuer, name)


def _row(
    ctx: Context, document: ExternalDocument, ids: Mapping[str, UUID], corrected: Mapping[str, UUID]
) -> Values[InvoiceRow]:
    place = numbers.own_place(ctx, document.number, document.content.issue_date)
    is_paid = document.paid_at is not None
    total = document.content.total
    return document.content.columns() | Values(
        InvoiceRow,
        id=ids[document.number],
        origin=EXTERNAL,
        number=document.number,
        series=document.content.series if place is None else place.series,
        year=None if place is None else place.year,
        ordinal=None if place is None else place.ordinal,
        status="paid" if is_paid else "sent",
        amount_paid=total if is_paid else ZERO,
        paid_at=document.paid_at,
        rectifies=corrected.get(document.rectifies or ""),
        issuer=ISSUER.encode(StoredIssuer.of(ctx.account)),
        issued_at=datetime.combine(document.content.issue_date, time.min, ZoneInfo(ctx.account.time_zone)),
        created_by=ctx.actor.user_id,
        channel=ctx.actor.channel.value,
    )


async def _add_payments(ctx: Context, imported: Sequence[ExternalDocument], ids: Mapping[str, UUID]) -> None:
    payments = [
        Values(
            InvoicePaymentRow,
            id=new_id(),
            invoice_id=ids[document.number],
            amount=document.content.total,
            base_amount=None if document.content.converted is None else document.content.converted.total,
            method=document.content.texts.payment_method,
            paid_at=document.paid_at,
            created_by=ctx.actor.user_id,
            channel=ctx.actor.channel.value,
        )
        for document in imported
        if document.paid_at is not None and document.content.total
    ]
    if payments:
        await records.add_many(ctx, invoice_payment, payments)


async def _count(ctx: Context, imported: Sequence[ExternalDocument]) -> None:
    """Count the documents by their status, and add them to the figures of their clients."""
    changes: dict[str, int] = {CHANGES: len(imported)}
    async for document in in_turns(imported):
        content = document.content
        amounts = CountedAmounts(
            client_id=content.client_id,
            currency=content.currency,
            total=content.total,
            invoiced=content.total,
            settled=ZERO if document.paid_at is None else content.total,
            converted=_converted(content),
        )
        status = "invoice.sent" if document.paid_at is None else "invoice.paid"
        for kind, count in {status: 1, **effects.figures(ctx, amounts, 1)}.items():
            changes[kind] = changes.get(kind, 0) + count
    await counters.add(ctx.db, changes)


def _converted(content: InvoiceContent) -> ConvertedAmounts | None:
    amounts, rate = content.converted, content.exchange_rate
    if amounts is None or rate is None:
        return None
    return ConvertedAmounts(total=amounts.total, invoiced=amounts.total, rate=rate)


def _total(ctx: Context, content: InvoiceContent) -> Decimal:
    """Return the total in the account's currency; zero for another currency without a rate."""
    if content.currency == ctx.account.currency:
        return content.total
    return content.converted.total if content.converted is not None else ZERO


async def _set_off(ctx: Context, note_id: UUID) -> None:
    """Set an imported credit note off against what is still owed on the document that it corrects."""
    note: InvoiceRow = await effects.locked(ctx, note_id)
    credited = await effects.set_off(ctx, note)
    if not credited:
        return
    row = await records.change(ctx, invoice, note.id, Values(InvoiceRow, credited=credited))
    await counters.add(ctx.db, effects.changed_figures(ctx, CountedAmounts.of(note), CountedAmounts.of(row)))
