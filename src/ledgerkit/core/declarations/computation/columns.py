"""Computation of a declaration, pure: from the books and the taxpayer's decisions to the columns of its row."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from ledgerkit.core.declarations.api import Amends, DeclarationChange
from ledgerkit.core.declarations.computation.books import Books
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms import places
from ledgerkit.core.declarations.forms import warnings as form_warnings
from ledgerkit.core.declarations.forms.installed import FormPeriod
from ledgerkit.core.declarations.table import (
    AMENDS,
    BOXES,
    DOCUMENTS,
    EVIDENCE,
    RECORDS,
    TYPES,
    WARNINGS,
    Boxes,
    DeclarationRow,
    StoredAmendment,
    StoredBoxChange,
    StoredDocumentRef,
    StoredRecord,
    StoredWarning,
)
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.event_loop.garbage import collection_paused
from ledgerkit.money import dumps_exact
from ledgerkit.providers.api import Amendment, Choice, Computation, FormInput, Ledger, Omission, Purchase, Sale
from ledgerkit.texts import text


def stored_amendment(amends: Amends | None) -> StoredAmendment | None:
    return None if amends is None else StoredAmendment(receipt_number=amends.receipt_number, reason=amends.reason)


def amendment(stored: StoredAmendment | None) -> Amendment | None:
    """Return the amended declaration as forms see it."""
    return None if stored is None else Amendment(receipt_number=stored.receipt_number, reason=stored.reason)


_OMITTED = {Omission.FOREIGN_CURRENCY: DeclarationsMsg.FOREIGN_CURRENCY}


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """Decisions of the taxpayer about a declaration; everything else follows from the books."""

    overrides: Mapping[str, Decimal] = field(default_factory=dict)
    declaration_type: str | None = None
    iban: str | None = None
    amends: StoredAmendment | None = None

    @classmethod
    def of(cls, target: FormPeriod, row: DeclarationRow) -> "Decisions":
        return cls(
            overrides=target.exact(BOXES.decode(row.manual_overrides)),
            declaration_type=row.declaration_type,
            iban=row.iban,
            amends=AMENDS.decode(row.amends),
        )

    def amending(self, amends: StoredAmendment) -> "Decisions":
        """Return these decisions for the amendment of another declaration."""
        return replace(self, amends=amends)

    def changed(self, data: DeclarationChange) -> "Decisions":
        """Return these decisions with the caller's fields."""
        fields = data.model_fields_set
        return Decisions(
            overrides=data.manual_overrides if "manual_overrides" in fields else self.overrides,
            declaration_type=data.declaration_type if "declaration_type" in fields else self.declaration_type,
            iban=data.iban if "iban" in fields else self.iban,
            amends=stored_amendment(data.amends) if "amends" in fields else self.amends,
        )

    def logged(self) -> dict[str, object]:
        """Return the decisions by their names on the wire, for the activity log."""
        receipt = None if self.amends is None else self.amends.receipt_number
        names = {"declaration_type": self.declaration_type, "iban": self.iban, "amends": receipt}
        return {"manual_overrides": dict(self.overrides), **names}

    def columns(self) -> Values[DeclarationRow]:
        return Values(
            DeclarationRow,
            manual_overrides=BOXES.encode(dict(self.overrides)),
            declaration_type=self.declaration_type,
            iban=self.iban,
            amends=AMENDS.encode(self.amends),
        )


@dataclass(frozen=True, kw_only=True)
class ComputedDeclaration:
    """Result of a form in its stored types, with the moment at which the books were read."""

    boxes: Boxes
    effective: Boxes
    output_vat: Decimal
    input_vat: Decimal
    result: Decimal
    result_kind: str
    types: dict[str, dict[str, str]]
    invoice_count: int
    expense_count: int
    warnings: tuple[StoredWarning, ...]
    documents: tuple[StoredDocumentRef, ...]
    evidence: dict[str, Boxes]
    records: tuple[StoredRecord, ...]
    read_at: datetime

    def columns(self) -> Values[DeclarationRow]:
        """Return the columns of `tax_declaration`."""
        return Values(
            DeclarationRow,
            boxes=BOXES.encode(self.boxes),
            effective_boxes=BOXES.encode(self.effective),
            output_vat=self.output_vat,
            input_vat=self.input_vat,
            result=self.result,
            result_kind=self.result_kind,
            declaration_types=TYPES.encode(self.types),
            invoice_count=self.invoice_count,
            expense_count=self.expense_count,
            warnings=WARNINGS.encode(self.warnings),
            generated_at=self.read_at,
        )

    async def content(self) -> Mapping[str, str]:
        """Return the columns of `tax_declaration_content` as JSON texts, written in a thread: they may be megabytes."""
        return await asyncio.to_thread(self._content)

    def _content(self) -> Mapping[str, str]:
        with collection_paused():
            return {
                "documents": DOCUMENTS.encode_text(self.documents),
                "evidence": EVIDENCE.encode_text(self.evidence),
                "records": dumps_exact(RECORDS.encode(self.records)),
            }


async def compute(of: FormPeriod, books: Books, decisions: Decisions) -> ComputedDeclaration:
    """Compute in a thread, because a quarter may have tens of thousands of documents."""

    def computed() -> ComputedDeclaration:
        with collection_paused():
            return _computed(of, books, decisions)

    return await asyncio.to_thread(computed)


def changes(before: Mapping[str, Decimal], after: Mapping[str, Decimal]) -> tuple[StoredBoxChange, ...]:
    """Return the boxes whose value differs, in the order of the form."""
    keys = [*after, *(key for key in before if key not in after)]
    return tuple(
        StoredBoxChange(box=key, before=before.get(key), after=after.get(key))
        for key in keys
        if before.get(key) != after.get(key)
    )


def _computed(of: FormPeriod, books: Books, decisions: Decisions) -> ComputedDeclaration:
    result = of.form.compute(
        FormInput(
            period=of.period,
            ledger=books.ledger,
            previous=books.previous,
            profile=books.profile,
            filed=books.filed,
            overrides=decisions.overrides,
            choice=Choice(declaration_type=decisions.declaration_type, iban=decisions.iban),
            amends=amendment(decisions.amends),
        )
    )
    evidence = _evidence(result)
    documents = _documents(books.ledger, result, evidence)
    counted = [document.origin for document in documents if document.id in result.counted]
    return ComputedDeclaration(
        boxes=dict(result.computed),
        effective=dict(result.effective),
        output_vat=result.output_tax,
        input_vat=result.input_tax,
        result=result.result,
        result_kind=result.result_kind.value,
        types={letter: forms.wordings(name) for letter, name in result.declaration_types.items()},
        invoice_count=counted.count("invoice"),
        expense_count=len(counted) - counted.count("invoice"),
        warnings=(
            *form_warnings.of_layout(of),
            *places.warnings(of, books.profile),
            *_warnings(result, books.ledger),
            *form_warnings.of_other_issuers(books.ledger, {document.id for document in documents}),
            *_impossible_type(result, decisions),
        ),
        documents=documents,
        evidence=evidence,
        records=tuple(
            StoredRecord(fields=dict(record.fields), document_ids=record.document_ids) for record in result.records
        ),
        read_at=books.read_at,
    )


def _evidence(result: Computation) -> dict[str, Boxes]:
    """Return the amount of each document in each box that has any."""
    evidence: dict[str, Boxes] = {}
    for box, parts in result.evidence.items():
        amounts: Boxes = {}
        for part in parts:
            before = amounts.get(part.document_id)
            amounts[part.document_id] = part.amount if before is None else before + part.amount
        if amounts:
            evidence[box] = amounts
    return evidence


def _documents(ledger: Ledger, result: Computation, evidence: Mapping[str, Boxes]) -> tuple[StoredDocumentRef, ...]:
    """Return the documents that reached a box or a record, in the order of the ledger."""
    reached = set(result.counted).union(*evidence.values(), *(record.document_ids for record in result.records))
    sold = [_sold(sale) for sale in ledger.sales if sale.document_id in reached]
    purchases = (*ledger.purchases, *ledger.earlier_investments)
    return (*sold, *[_bought(purchase) for purchase in purchases if purchase.document_id in reached])


def _sold(sale: Sale) -> StoredDocumentRef:
    return StoredDocumentRef(
        id=sale.document_id,
        origin="invoice",
        number=sale.number,
        date=sale.issue_date,
        party=sale.client.name if sale.client else None,
        tax_id=sale.client.tax_id if sale.client else None,
    )


def _bought(purchase: Purchase) -> StoredDocumentRef:
    return StoredDocumentRef(
        id=purchase.document_id,
        origin=purchase.origin.value,
        number=purchase.number,
        date=purchase.issue_date,
        party=purchase.vendor.name,
        tax_id=purchase.vendor.tax_id,
    )


def _warnings(result: Computation, ledger: Ledger) -> Sequence[StoredWarning]:
    """Return the form's warnings, and one for each document that the ledger leaves out and the form says nothing of."""
    warnings = [forms.warning(warning.code, warning.message, warning.document_ids) for warning in result.warnings]
    named = {document for warning in result.warnings for document in warning.document_ids}
    for document in ledger.omitted:
        if document.document_id not in named:
            words = text(_OMITTED[document.reason], number=document.number or document.document_id)
            warnings.append(forms.warning(document.reason.value, words, (document.document_id,)))
    return warnings


def _impossible_type(result: Computation, decisions: Decisions) -> Sequence[StoredWarning]:
    """Return a warning when the result does not allow the type chosen, which stays until the taxpayer changes it."""
    chosen, possible = decisions.declaration_type, result.declaration_types
    if chosen is None or not possible or chosen in possible:
        return ()
    words = text(DeclarationsMsg.TYPE_IMPOSSIBLE, letter=chosen, listed=", ".join(possible))
    return (forms.warning("declaration_type_impossible", words),)
