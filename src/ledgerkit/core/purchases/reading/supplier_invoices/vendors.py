"""Vendor of an analysed supplier invoice: found by its tax id, then by its name, else stored."""

import re
from uuid import UUID

from pydantic import ValidationError

from ledgerkit.core.catalog.supplier_invoices.api import AnalysedVendor
from ledgerkit.core.platform.documents import tax_ids
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.purchases.reading.texts import IntakeMsg
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.purchases.vendors.api import VendorInput
from ledgerkit.texts import Text, text

_FOREIGN = re.compile(r"([A-Z]{2})[0-9A-Z]{5,}")
_MAX_NAME = 120


async def find(ctx: Context, analysed: AnalysedVendor | None) -> UUID | None:
    """Return the stored vendor that an analysis names, or None."""
    if analysed is None:
        return None
    tax_id, _ = _usable_tax_id(ctx, analysed.tax_id)
    row = await vendors.find_match(ctx, analysed.name, tax_id)
    return None if row is None else row.id


async def find_or_store(ctx: Context, analysed: AnalysedVendor | None, warnings: list[Text]) -> UUID | None:
    """Return the vendor that an analysis names, stored now where it is a new one.

    A tax id that is not valid is left out, as is an e-mail address that is none. None, with a warning, for an analysis
    that names no vendor, and for a new one when the caller may not write vendors.
    """
    if analysed is None or not (analysed.name or analysed.tax_id):
        warnings.append(text(IntakeMsg.VENDOR_MISSING))
        return None
    tax_id, country = _usable_tax_id(ctx, analysed.tax_id)
    if analysed.tax_id and tax_id is None:
        warnings.append(text(IntakeMsg.VENDOR_TAX_ID_UNUSABLE, tax_id=analysed.tax_id))
    row = await vendors.find_match(ctx, analysed.name, tax_id)
    if row is not None:
        return row.id
    if not analysed.name:
        warnings.append(text(IntakeMsg.VENDOR_MISSING))
        return None
    if not ctx.actor.may(Permission.VENDORS_WRITE):
        warnings.append(text(IntakeMsg.VENDOR_NOT_ALLOWED, name=analysed.name))
        return None
    created = await vendors.create(ctx, _input(analysed, tax_id, country))
    return UUID(created.id)


def _usable_tax_id(ctx: Context, tax_id: str | None) -> tuple[str | None, str]:
    """Return a tax id in its normal form with its country; None for one that is not valid."""
    account_country = ctx.account.country
    if not tax_id:
        return None, account_country
    verdict = tax_ids.check(ctx, tax_id, account_country)
    if verdict.valid:
        return verdict.normalised, account_country
    prefix = _FOREIGN.fullmatch(re.sub(r"[\W_]", "", tax_id).upper())
    if prefix and prefix[1] != account_country and tax_ids.check(ctx, prefix[0], prefix[1]).valid:
        return tax_ids.check(ctx, prefix[0], prefix[1]).normalised, prefix[1]
    return None, account_country


def _input(analysed: AnalysedVendor, tax_id: str | None, country: str) -> VendorInput:
    name = (analysed.name or "")[:_MAX_NAME]
    fields = {"tax_id": tax_id, "country": country, "phone": analysed.phone, "address": analysed.address}
    try:
        return VendorInput.model_validate({"name": name, **fields, "email": analysed.email or None})
    except ValidationError:
        return VendorInput.model_validate({"name": name, **fields})
