"""The frozen document of an invoice that countries, fiscal records and printing work with."""

from collections.abc import Iterable, Sequence
from datetime import date
from types import MappingProxyType
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, any_, bindparam, select

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.database.stored_json import StoredJson
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.sales.invoices.content.fields import InvoiceContent, converted_replaced
from ledgerkit.core.sales.invoices.dates.issue_and_due import issue_day
from ledgerkit.core.sales.invoices.json_columns.codecs import (
    CLIENT,
    ISSUER,
    REPLACED,
    THIRD_PARTY,
    StoredIssuer,
    StoredLine,
    StoredThirdParty,
)
from ledgerkit.core.sales.invoices.posting import effects, remainders
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice
from ledgerkit.money import ZERO
from ledgerkit.providers.api import (
    Annulment,
    Correction,
    Document,
    DocumentKind,
    DocumentRef,
    IssuedBy,
    Party,
)

MAX_DESCRIPTION = 500


async def document(ctx: Context, row: InvoiceRow, content: InvoiceContent | None = None) -> Document:
    """Return the whole document, with the documents that it corrects or is exchanged for. A draft's number is empty.

    Its amounts are in the account's currency where it has an exchange rate, else in its own.

    `content` in place of the stored one: the document as it would be after a change.
    """
    content = content or InvoiceContent.of(row, ctx.account.today())
    converted = content.converted
    amounts = content if converted is None else converted
    party = (await issuer(ctx, row)).party()
    return Document(
        kind=DocumentKind(content.doc_type),
        number=row.number or "",
        issue_date=content.issue_date,
        operation_date=content.operation_date,
        issuer=party,
        recipient=content.client.party(),
        currency=content.currency if converted is None else ctx.account.currency,
        description=content.operation_description or _description(content.items),
        taxes=tuple(tax_row.tax_line() for tax_row in amounts.tax_breakdown),
        tax_total=amounts.tax_amount + amounts.surcharge_amount,
        gross_total=amounts.subtotal + amounts.tax_amount + amounts.surcharge_amount,
        retention=amounts.retention_amount,
        payable=amounts.total,
        correction=await _correction(ctx, row, content, party),
        substitutes=await _substituted(ctx, row, party),
        issued_by=IssuedBy(content.issued_by),
        third_party=_third_party(content.third_party),
        details=MappingProxyType(dict(content.fiscal_details or {})),
        place_of_supply=content.texts.place_of_supply,
        triangular=True if content.triangular and not row.triangular_exempt else None,
    )


def annulment(ctx: Context, row: InvoiceRow) -> Annulment:
    """Return the request to annul the document, by whoever made it out in the issuer's name."""
    author = IssuedBy(row.issued_by)
    authors = {
        IssuedBy.RECIPIENT: CLIENT.decode(row.client).party(),
        IssuedBy.THIRD_PARTY: _third_party(THIRD_PARTY.decode(row.third_party)),
    }
    annulled = DocumentRef(number=row.number or "", issue_date=issue_day(row))
    frozen = ISSUER.decode(row.issuer)
    party = ctx.account.party() if frozen is None else frozen.party()
    return Annulment(issuer=party, document=annulled, generated_by=author, generator=authors.get(author))


async def issuer(ctx: Context, row: InvoiceRow) -> StoredIssuer:
    """Return the issuer as it was when the document was issued; of a draft, as it will be (`issuer_of_draft`)."""
    frozen = ISSUER.decode(row.issuer)
    if frozen is not None:
        return frozen
    return issuer_of_draft(ctx, await _origin_issuers(ctx, row))


def issuer_of_draft(ctx: Context, of_origins: Iterable[StoredIssuer | None]) -> StoredIssuer:
    """Return the issuer of a draft, given those of the documents that it corrects or is exchanged for.

    It is the account as it is now. After a change of its tax identifier, documents of the earlier identifier are
    corrected under that one, with the issuer that they name, because the authority knows them under no other.
    """
    present = StoredIssuer.of(ctx.account)
    stated = [party for party in of_origins if party is not None and party.tax_id]
    return next((party for party in stated if party.tax_id != present.tax_id), present)


def _third_party(party: StoredThirdParty | None) -> Party | None:
    return None if party is None else Party(name=party.name, tax_id=party.tax_id, country=party.country)


def _description(lines: Sequence[StoredLine]) -> str:
    """Return the lines' texts, as many as fit."""
    return "; ".join(line.description for line in lines)[:MAX_DESCRIPTION]


async def _origin_issuers(ctx: Context, row: InvoiceRow) -> list[StoredIssuer | None]:
    if row.rectifies is not None:
        return [ISSUER.decode((await effects.original_of(ctx, row)).issuer)]
    return [ISSUER.decode(simplified.issuer) for simplified in await _exchanged(ctx, row)]


async def _correction(ctx: Context, row: InvoiceRow, content: InvoiceContent, party: Party) -> Correction | None:
    if row.rectifies is None:
        return None
    original = await effects.original_of(ctx, row)
    corrected = (_reference(original, party),)
    if content.correction_method != "substitution":
        return Correction(documents=corrected, reason=content.correction_reason)
    in_its_currency = REPLACED.decode(row.replaced) or (await remainders.remainder(ctx, original)).replaced()
    replaced = converted_replaced(in_its_currency, content.exchange_rate) or in_its_currency
    return Correction(
        documents=corrected,
        method="substitution",
        reason=content.correction_reason,
        replaced_base=sum((tax_row.base for tax_row in replaced.tax_breakdown), ZERO),
        replaced_tax=replaced.tax_amount,
        replaced_surcharge=replaced.surcharge_amount,
    )


def _reference(other: "InvoiceRow | _ReferenceRow", party: Party) -> DocumentRef:
    """Name another document, with its issuer where that is another one than `party`."""
    stated = ISSUER.decode(other.issuer)
    tax_id = None if stated is None or stated.tax_id == party.tax_id else stated.tax_id
    return DocumentRef(number=other.number or "", issue_date=issue_day(other), issuer_tax_id=tax_id)


class _ReferenceRow(Row):
    number: str | None
    issue_date: date | None
    issuer: StoredJson[StoredIssuer] | None


_NUMBERS = Prepared(
    select(invoice.c.number, invoice.c.issue_date, invoice.c.issuer)
    .where(invoice.c.id == any_(bindparam("ids", type_=ARRAY(Uuid))))
    .order_by(invoice.c.id),
    _ReferenceRow,
)


async def _substituted(ctx: Context, row: InvoiceRow, party: Party) -> tuple[DocumentRef, ...]:
    return tuple(_reference(other, party) for other in await _exchanged(ctx, row))


async def _exchanged(ctx: Context, row: InvoiceRow) -> Sequence[_ReferenceRow]:
    if not row.substitutes:
        return ()
    return await _NUMBERS.rows(ctx.db, ids=[UUID(invoice_id) for invoice_id in row.substitutes])
