"""Schemas of vendors (interface decisions J)."""

from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue

from ledgerkit.core.platform.api_types.fields import (
    Category,
    CountryCode,
    Email,
    Iban,
    LongText,
    Name,
    ShortText,
    TermDays,
)
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.purchases.vendors.table import VendorRow
from ledgerkit.money import Rate

EXAMPLE: dict[str, JsonValue] = {
    "name": "Papelería Sol, S.L.",
    "taxId": "B29805314",
    "email": "pedidos@sol.example",
    "iban": "ES9121000418450200051332",
    "paymentTermDays": 30,
    "defaultCategory": "office",
}


class VendorFields(Wire, row=VendorRow):
    tax_id: ShortText | None = None
    """Tax identifier, checked where the country is the account's own; null where not known."""
    country: CountryCode | None = None
    email: Email | None = None
    phone: ShortText | None = None
    address: ShortText | None = None
    city: ShortText | None = None
    province: ShortText | None = None
    postal_code: ShortText | None = None
    contact_name: ShortText | None = None
    iban: Iban | None = None
    payment_term_days: TermDays | None = None
    default_category: Category | None = None
    default_tax_rate: Rate | None = None
    notes: LongText | None = None


class VendorInput(VendorFields):
    """A supplier of goods or services; only the name is needed."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    name: Name


class VendorChange(VendorFields):
    """Fields that are absent keep their value."""

    name: Name = ""


class Vendor(Wire, row=VendorRow):
    id: str
    name: str
    tax_id: str | None
    country: str
    email: str | None
    phone: str | None
    address: str | None
    city: str | None
    province: str | None
    postal_code: str | None
    contact_name: str | None
    iban: str | None
    payment_term_days: int | None
    default_category: str | None
    default_tax_rate: Rate | None
    notes: str | None
    created_at: Timestamp
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]
