"""An invoice's row as the frozen document that countries, records and paper work with."""

from decimal import Decimal
from types import MappingProxyType
from typing import Any
from uuid import UUID

from sqlalchemy import select

from ledgerkit.core.invoices.issuer import issuer_copy
from ledgerkit.core.invoices.models import invoice
from ledgerkit.core.invoices.posting import remaining
from ledgerkit.core.request.context import Context
from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    Annulment,
    Correction,
    Document,
    DocumentKind,
    DocumentRef,
    IssuedBy,
    Party,
    TaxCategory,
    TaxLine,
)

MAX_DESCRIPTION = 500


async def document(ctx: Context, row: Any) -> Document:
    """The whole document, with what it corrects or is exchanged for. A draft's number is empty."""
    return build(ctx, row, await _correction(ctx, row), await _substituted(ctx, row))


def build(ctx: Context, row: Any, correction: Correction | None, substitutes: tuple[DocumentRef, ...] = ()) -> Document:
    return Document(
        kind=DocumentKind(row.doc_type),
        number=row.number or "",
        issue_date=row.issue_date,
        operation_date=row.operation_date,
        issuer=issuer(ctx, row),
        recipient=_recipient(row),
        currency=row.currency,
        description=_description(row),
        taxes=tuple(_tax_line(tax) for tax in row.tax_breakdown),
        tax_total=row.tax_amount + row.surcharge_amount,
        gross_total=row.subtotal + row.tax_amount + row.surcharge_amount,
        retention=row.retention_amount,
        payable=row.total,
        correction=correction,
        substitutes=substitutes,
        issued_by=IssuedBy(row.issued_by),
        third_party=_third_party(row),
        details=MappingProxyType(row.fiscal_details or {}),
        place_of_supply=row.place_of_supply,
    )


def annulment(ctx: Context, row: Any) -> Annulment:
    """The wish that the document be struck out, by whoever made it out in the issuer's name."""
    by = IssuedBy(row.issued_by)
    others = {IssuedBy.RECIPIENT: _recipient(row), IssuedBy.THIRD_PARTY: _third_party(row)}
    named = DocumentRef(number=row.number, issue_date=row.issue_date)
    return Annulment(issuer=issuer(ctx, row), document=named, generated_by=by, generator=others.get(by))


def issuer(ctx: Context, row: Any) -> Party:
    """Who issued it, as it was then; for a draft, as the account is now."""
    known = row.issuer or issuer_copy(ctx.account)
    return Party(
        name=known["company"] or known["name"],
        tax_id=known["tax_id"],
        country=known["country"],
        address=known["address"],
        postal_code=known["postal_code"],
        city=known["city"],
        province=known["province"],
        email=known["email"],
    )


def _recipient(row: Any) -> Party | None:
    client = row.client
    if not client["name"]:
        return None
    return Party(
        name=client["name"],
        tax_id=client["taxId"],
        country=client["country"],
        address=client["address"],
        postal_code=client["postalCode"],
        city=client["city"],
        province=client["province"],
        email=client["email"],
        tax_id_kind=client["taxIdKind"],
    )


def _third_party(row: Any) -> Party | None:
    known = row.third_party
    return None if known is None else Party(name=known["name"], tax_id=known["taxId"], country=known["country"])


def _description(row: Any) -> str:
    """What was sold, for the tax authority: as the invoice says it, else the lines' texts, as many as fit."""
    return row.operation_description or "; ".join(item["description"] for item in row.items)[:MAX_DESCRIPTION]


def _tax_line(tax: dict[str, Any]) -> TaxLine:
    surcharge, cost, untaxed = tax["surchargeRate"], tax["costBase"], tax["untaxedAmount"]
    return TaxLine(
        category=TaxCategory(tax["category"]),
        rate=Decimal(tax["rate"]),
        base=Decimal(tax["base"]),
        amount=Decimal(tax["amount"]),
        surcharge_rate=None if surcharge is None else Decimal(surcharge),
        surcharge_amount=Decimal(tax["surchargeAmount"]),
        exemption_code=tax["exemptionCode"],
        regime_key=tax["regimeKey"],
        tax=tax["tax"],
        cost_base=None if cost is None else Decimal(cost),
        not_subject_reason=tax["notSubjectReason"],
        untaxed=None if untaxed is None else Decimal(untaxed),
    )


async def _correction(ctx: Context, row: Any) -> Correction | None:
    if row.rectifies is None:
        return None
    query = select(invoice).where(invoice.c.id == row.rectifies)
    original = (await ctx.db.execute(query)).one()
    corrected = (DocumentRef(number=original.number, issue_date=original.issue_date),)
    if row.correction_method != "substitution":
        return Correction(documents=corrected, reason=row.correction_reason)
    replaced = row.replaced or (await remaining.remainder(ctx, original)).wire()
    return Correction(
        documents=corrected,
        method="substitution",
        reason=row.correction_reason,
        replaced_base=sum((Decimal(row["base"]) for row in replaced["taxBreakdown"]), ZERO),
        replaced_tax=Decimal(replaced["taxAmount"]),
        replaced_surcharge=Decimal(replaced["surchargeAmount"]),
    )


async def _substituted(ctx: Context, row: Any) -> tuple[DocumentRef, ...]:
    if not row.substitutes:
        return ()
    ids = [UUID(one) for one in row.substitutes]
    query = select(invoice.c.number, invoice.c.issue_date).where(invoice.c.id.in_(ids)).order_by(invoice.c.id)
    return tuple(DocumentRef(number=one.number, issue_date=one.issue_date) for one in await ctx.db.execute(query))
