"""Filed declarations of earlier periods whose documents may have changed since, computed again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from uuid import UUID

from sqlalchemy import Date, Text, bindparam, exists, literal, or_, select

from ledgerkit.core.declarations import output as declaration_output
from ledgerkit.core.declarations import queries as declaration_queries
from ledgerkit.core.declarations.api import BoxChange, DocumentChange
from ledgerkit.core.declarations.computation import books, columns
from ledgerkit.core.declarations.computation.books import Books
from ledgerkit.core.declarations.computation.columns import ComputedDeclaration, Decisions
from ledgerkit.core.declarations.filed import amounts
from ledgerkit.core.declarations.filed.amounts import IS_LAST_SUBMITTED, DocumentAmounts
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.table import (
    DOCUMENTS,
    DeclarationRow,
    StoredDocumentRef,
    filed_amount,
    tax_declaration,
    tax_profile,
)
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.event_loop.garbage import collection_paused
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.reports.ledger import changes as ledger_changes
from ledgerkit.money import round_cents
from ledgerkit.providers.api import Purchase, TaxProfile

YEARS = 4
"""Years that a filed declaration is looked at again: as long as the authorities may (Spain: Ley 58/2003, art. 66)."""

_MARGIN = timedelta(minutes=5)
"""Most that a transaction may take: what it writes is stamped with its start."""


class FiledRow(DeclarationRow):
    """Last submitted declaration of a period, and the draft that amends it."""

    amendment_id: UUID | None


@dataclass(frozen=True, kw_only=True)
class EarlierPeriod:
    """Filed declaration whose documents have changed in the books.

    `claimable` are purchases that were not filed and may be claimed in a later period. `others` are all other
    documents; they change the result of the filed declaration by `difference`.
    """

    row: FiledRow
    of: FormPeriod
    claimable: Sequence[DocumentChange]
    others: Sequence[DocumentChange]
    difference: Decimal


_of, _amending = tax_declaration.c, tax_declaration.alias("amending")
_since = _of.generated_at - literal(_MARGIN)
_between = tax_declaration.alias("submitted_between")
_MAY_DIFFER = or_(
    ledger_changes.changed_since(_of.period_end, _since),
    ledger_changes.moved_since(
        filed_amount.c.document_id, filed_amount.c.declaration_id == _of.id, _of.period_end, _since
    ),
    exists().where(tax_profile.c.country == _of.country, tax_profile.c.updated_at > _since),
    exists().where(
        _between.c.country == _of.country,
        _between.c.form == _of.form,
        _between.c.id != _of.id,
        _between.c.submitted_at.between(_of.generated_at, _of.submitted_at),
    ),
)
"""Condition that a filed declaration may differ from the books: they, the profile or what else was filed have changed
since it was computed."""
_EARLIER = Prepared(
    select(tax_declaration, _amending.c.id.label("amendment_id"))
    .select_from(tax_declaration.outerjoin(_amending, _amending.c.complementary_of == _of.id))
    .where(
        _of.country == bindparam("country", type_=Text),
        _of.form == bindparam("form", type_=Text),
        _of.status == "submitted",
        _of.origin == "generated",
        _of.period_end.between(bindparam("since", type_=Date), bindparam("before", type_=Date)),
        IS_LAST_SUBMITTED,
        _MAY_DIFFER,
    )
    .order_by(_of.period_end),
    FiledRow,
)


async def changed(ctx: Context, of: FormPeriod) -> Sequence[EarlierPeriod]:
    """Return the filed declarations of the form's earlier periods that would differ with the present books."""

    async def attempt(inner: Context) -> list[FiledRow]:
        first = of.period.span.first
        names = {"country": of.provider.code, "form": of.form.code}
        days = {"since": date(first.year - YEARS, first.month, 1), "before": first - timedelta(days=1)}
        return await _EARLIER.rows(inner.db, **names, **days)

    periods: list[EarlierPeriod] = []
    for row in await ctx.read_snapshot(attempt):
        earlier = forms.installed(ctx, row)
        if earlier is not None and not _is_superseded(earlier, of):
            periods.extend(await _period(ctx, earlier, row, of))
    return periods


async def documents_changed(
    ctx: Context, row: DeclarationRow, computed: ComputedDeclaration
) -> Sequence[DocumentChange]:
    """Return the documents of a submitted declaration whose amounts differ in its present computation."""
    if row.status != "submitted":
        return ()
    return await _differing(ctx, row, await ctx.read(lambda inner: amounts.of_declaration(inner, row.id)), computed)


async def _differing(
    ctx: Context, row: DeclarationRow, filed: DocumentAmounts, computed: ComputedDeclaration
) -> Sequence[DocumentChange]:
    changes = changed_documents(filed, computed)
    documents = computed.documents
    if any(key in filed for key in changes):
        behind = await ctx.read(lambda inner: declaration_queries.evidence(inner, row))
        documents = (*DOCUMENTS.decode(behind.documents), *documents)
    return described(changes, documents)


def _is_superseded(earlier: FormPeriod, of: FormPeriod) -> bool:
    """Return True where a later declaration of the form states the period anew: it counts from January."""
    return of.form.is_cumulative and (earlier.period.year == of.period.year or not earlier.period.is_last_of_year)


async def _period(ctx: Context, earlier: FormPeriod, row: FiledRow, of: FormPeriod) -> list[EarlierPeriod]:
    """Return the period if its documents differ; nothing otherwise."""

    async def attempt(inner: Context) -> tuple[Books, DocumentAmounts]:
        return await books.read(inner, earlier, row.amendment), await amounts.of_declaration(inner, row.id)

    with collection_paused():
        period_books, filed = await ctx.read_snapshot(attempt)
        decisions = Decisions.of(earlier, row)
        computed = await columns.compute(earlier, period_books, decisions)
        changes = await _differing(ctx, row, filed, computed)
        if not changes:
            return []
        purchases = {purchase.document_id: purchase for purchase in period_books.ledger.purchases}
        claimable = [
            change
            for change in changes
            if _is_claimable(of, change, purchases.get(change.document_id), period_books.profile)
        ]
        if claimable:
            left = _without(period_books, {document.document_id for document in claimable})
            computed = await columns.compute(earlier, left, decisions)
    others = [change for change in changes if change not in claimable]
    difference = computed.result - row.result
    return [EarlierPeriod(row=row, of=earlier, claimable=claimable, others=others, difference=difference)]


def _is_claimable(of: FormPeriod, change: DocumentChange, purchase: Purchase | None, profile: TaxProfile) -> bool:
    """Return True for a purchase that was not filed and may be claimed in the period of `of`."""
    return (
        purchase is not None
        and all(box.before is None and box.box in of.form.claimable_later for box in change.boxes)
        and of.form.is_claimable(purchase, profile, of.period)
    )


def _without(period_books: Books, document_ids: set[str]) -> Books:
    ledger = period_books.ledger
    left = [purchase for purchase in ledger.purchases if purchase.document_id not in document_ids]
    return replace(period_books, ledger=replace(ledger, purchases=left))


_NOWHERE: Mapping[str, Decimal] = {}


def changed_documents(filed: DocumentAmounts, computed: ComputedDeclaration) -> Mapping[str, Sequence[BoxChange]]:
    """Return, by document, the boxes in which its amount differs from the filed amount, in cents."""
    now = _by_document(computed)
    changes = {key: _box_changes(filed.get(key, _NOWHERE), now.get(key, _NOWHERE)) for key in {**filed, **now}}
    return {key: boxes for key, boxes in changes.items() if boxes}


def described(
    changes: Mapping[str, Sequence[BoxChange]], documents: Iterable[StoredDocumentRef]
) -> Sequence[DocumentChange]:
    """Return the changes with the known facts about their documents, by date."""
    by_id = {document.id: document for document in documents}
    listed = [
        DocumentChange(**declaration_output.document(by_id[key]), boxes=list(boxes))
        for key, boxes in changes.items()
        if key in by_id
    ]
    return sorted(listed, key=lambda change: (change.date, change.number or "", change.document_id))


def _by_document(computed: ComputedDeclaration) -> Mapping[str, Mapping[str, Decimal]]:
    amounts: defaultdict[str, dict[str, Decimal]] = defaultdict(dict)
    for box, of_documents in computed.evidence.items():
        for key, amount in of_documents.items():
            amounts[key][box] = amount
    return amounts


def _box_changes(filed: Mapping[str, Decimal], now: Mapping[str, Decimal]) -> Sequence[BoxChange]:
    amounts = ((box, _cents(filed.get(box)), _cents(now.get(box))) for box in sorted({**filed, **now}))
    return [BoxChange(box=box, before=before, after=after) for box, before, after in amounts if before != after]


def _cents(amount: Decimal | None) -> Decimal | None:
    return None if amount is None else round_cents(amount)
