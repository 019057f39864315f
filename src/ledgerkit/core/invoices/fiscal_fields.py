"""What an invoice says to the tax authority beyond its amounts: who makes it out, details, how it corrects."""

from collections.abc import Mapping
from typing import Any

from ledgerkit.core.documents import tax_ids
from ledgerkit.core.invoices.messages import InvoicesMsg
from ledgerkit.core.invoices.schemas import InvoiceFields, ThirdParty
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Invalid, bilingual, bilingual_error
from ledgerkit.providers.api import DocumentKind, IssuedBy

COPIED = ("issued_by", "third_party", "operation_description", "fiscal_details")
COLUMNS = (*COPIED, "correction_reason", "correction_method")


def columns(ctx: Context, kind: DocumentKind, data: InvoiceFields, old: Any = None) -> dict[str, Any]:
    """The columns of all this; what is absent keeps the value of `old`, a row, or has its default.

    Raises Invalid naming each wrong field.
    """
    before = _defaults(kind) if old is None else {name: getattr(old, name) for name in COLUMNS}
    given = {name: getattr(data, name) for name in COLUMNS if name in data.model_fields_set}
    if given.get("third_party") is not None:
        given["third_party"] = _party(ctx, given["third_party"])
    for name in ("issued_by", "correction_method"):
        if name in given and given[name] is None:
            given[name] = _defaults(kind)[name]
    columns = before | given
    columns["issued_by"] = IssuedBy(columns["issued_by"]).value
    _check(ctx, kind, columns)
    return columns


def copied(old: Any) -> dict[str, Any]:
    """The columns of a new draft alike `old`."""
    return {name: getattr(old, name) for name in COLUMNS}


def _defaults(kind: DocumentKind) -> dict[str, Any]:
    corrects = kind is DocumentKind.CREDIT_NOTE
    own = {"issued_by": IssuedBy.ISSUER, "correction_method": "differences" if corrects else None}
    return dict.fromkeys(COLUMNS) | own


def _party(ctx: Context, party: ThirdParty) -> dict[str, Any]:
    country = party.country or ctx.account.country
    tax_id = tax_ids.normalised(ctx, party.tax_id, country, "thirdParty.taxId")
    return {"name": party.name, "taxId": tax_id, "country": country}


def _check(ctx: Context, kind: DocumentKind, columns: Mapping[str, Any]) -> None:
    by_another = columns["issued_by"] == IssuedBy.THIRD_PARTY
    if by_another != (columns["third_party"] is not None):
        raise _third_party(needed=by_another)
    if columns["fiscal_details"]:
        _check_details(ctx, columns["fiscal_details"])
    if kind is DocumentKind.CREDIT_NOTE:
        return
    for wire, name in (("correctionReason", "correction_reason"), ("correctionMethod", "correction_method")):
        if columns[name] is not None:
            raise Invalid.field(wire, InvoicesMsg.CREDIT_NOTE_FIELD_ONLY)


def _third_party(*, needed: bool) -> Invalid:
    if needed:
        return Invalid.field("thirdParty", InvoicesMsg.THIRD_PARTY_NEEDED)
    return Invalid.field("thirdParty", InvoicesMsg.THIRD_PARTY_UNEXPECTED)


def _check_details(ctx: Context, details: Mapping[str, Any]) -> None:
    known = ctx.country.tax.document_details if ctx.country else {}
    wrong = [key for key in details if key not in known]
    if not wrong:
        return
    listed, keys, country = (
        "; ".join(f"{key}: {text}" for key, text in known.items()),
        ", ".join(wrong),
        ctx.account.country,
    )
    remedy, remedio = f"Known are: {listed or 'none'}.", f"Los hay: {listed or 'ninguno'}."
    raise bilingual(
        Invalid,
        (f"fiscalDetails: {keys} mean nothing to the tax authority of {country}.", remedy),
        (f"fiscalDetails: {keys} no le dice nada a la administración tributaria de {country}.", remedio),
        errors=[
            bilingual_error(f"fiscalDetails.{key}", "unknown", ("is not known", remedy), ("no se conoce", remedio))
            for key in wrong
        ],
    )
