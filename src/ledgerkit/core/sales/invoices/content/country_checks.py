"""A draft under the rules of the account's country: its fiscal fields, and doubts about its form and taxes."""

from collections.abc import Mapping
from dataclasses import replace

from ledgerkit.core.platform.documents import tax_ids
from ledgerkit.core.platform.documents.country_codes import explained
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.wordings import worded
from ledgerkit.core.sales.clients import operations as clients
from ledgerkit.core.sales.invoices.api import InvoiceFields, ThirdParty
from ledgerkit.core.sales.invoices.content.fields import FiscalFields, InvoiceContent
from ledgerkit.core.sales.invoices.json_columns.codecs import StoredThirdParty
from ledgerkit.core.sales.invoices.texts import InvoicesMsg
from ledgerkit.problems import FieldError, Invalid
from ledgerkit.providers.api import DocumentKind, DraftFacts, IssuedBy

_WITH_DEFAULTS = ("issued_by", "correction_method", "triangular")


def fiscal_fields(
    ctx: Context,
    kind: DocumentKind,
    data: InvoiceFields,
    before: FiscalFields | None = None,
    *,
    triangular: bool = False,
) -> FiscalFields:
    """Return the fiscal fields after a request: an absent field keeps its value in `before`, or gets its default.

    `triangular` is the default of that field. Raises Invalid naming each wrong field.
    """
    defaults = replace(_defaults(kind), triangular=triangular)
    values = {name: getattr(data, name) for name in vars(defaults) if name in data.model_fields_set}
    if data.third_party is not None:
        values["third_party"] = _third_party(ctx, data.third_party)
    for name in _WITH_DEFAULTS:
        if name in values and values[name] is None:
            values[name] = getattr(defaults, name)
    if "issued_by" in values:
        values["issued_by"] = IssuedBy(values["issued_by"]).value
    fields = FiscalFields(**{**vars(before or defaults), **values})
    _check(ctx, kind, fields)
    return fields


def _defaults(kind: DocumentKind) -> FiscalFields:
    return FiscalFields(
        issued_by=IssuedBy.ISSUER.value,
        third_party=None,
        operation_description=None,
        triangular=False,
        fiscal_details=None,
        correction_reason=None,
        correction_method="differences" if kind is DocumentKind.CREDIT_NOTE else None,
    )


def _third_party(ctx: Context, party: ThirdParty) -> StoredThirdParty:
    country = party.country or ctx.account.country
    tax_id = tax_ids.normalised(ctx, party.tax_id, country, "thirdParty.taxId")
    return StoredThirdParty(name=party.name, tax_id=tax_id, country=country)


def _check(ctx: Context, kind: DocumentKind, fields: FiscalFields) -> None:
    by_third_party = fields.issued_by == IssuedBy.THIRD_PARTY
    if by_third_party != (fields.third_party is not None):
        message = InvoicesMsg.THIRD_PARTY_NEEDED if by_third_party else InvoicesMsg.THIRD_PARTY_UNEXPECTED
        raise Invalid.field("thirdParty", message)
    if fields.fiscal_details:
        _check_details(ctx, fields.fiscal_details)
    if kind is DocumentKind.CREDIT_NOTE:
        return
    for field, value in (
        ("correctionReason", fields.correction_reason),
        ("correctionMethod", fields.correction_method),
    ):
        if value is not None:
            raise Invalid.field(field, InvoicesMsg.CREDIT_NOTE_FIELD_ONLY)


def _check_details(ctx: Context, details: Mapping[str, bool | str]) -> None:
    defined = ctx.country.tax.document_details if ctx.country else {}
    unknown = [key for key in details if key not in defined]
    if not unknown:
        return
    listed = explained(defined)
    raise Invalid(
        InvoicesMsg.UNKNOWN_DETAILS,
        keys=", ".join(unknown),
        country=ctx.account.country,
        listed=listed,
        errors=[
            FieldError.of(f"fiscalDetails.{key}", "unknown", InvoicesMsg.UNKNOWN_DETAIL, listed=listed)
            for key in unknown
        ],
    )


async def doubts(ctx: Context, content: InvoiceContent) -> list[str]:
    """Return the country's doubts in the words of the caller; for programs each begins with its stable code."""
    country = ctx.kernel.countries.countries.get(ctx.account.country)
    if country is None:
        return []
    facts = _facts(ctx, content)
    if facts.retention or content.client.country != ctx.account.country:
        card = await clients.company_of(ctx, content.client_id)
        if card is not None:
            stated = card.is_company and card.is_company_stated
            facts = replace(facts, recipient_is_company=card.is_company, is_business_stated=stated)
    return [worded(ctx, doubt.text, doubt.words) for doubt in country.tax_doubts(facts)]


def _facts(ctx: Context, content: InvoiceContent) -> DraftFacts:
    converted = content.converted
    amounts = content if converted is None else converted
    return DraftFacts(
        kind=DocumentKind(content.doc_type),
        issuer=ctx.account.party(),
        recipient=content.client.party(),
        taxes=[tax_row.tax_line() for tax_row in amounts.tax_breakdown],
        currency=content.currency if converted is None else ctx.account.currency,
        gross_total=amounts.subtotal + amounts.tax_amount + amounts.surcharge_amount,
        retention=amounts.retention_amount,
        details=content.fiscal_details or {},
        higher_simplified_limit=ctx.account.higher_simplified_limit,
        day=content.rates_date,
        retention_rate=content.retention_rate,
        place_of_supply=content.texts.place_of_supply,
    )
