"""Schemas of clients (interface decisions C)."""

from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.fields import CountryCode, Email, Flag, LongText, Name, ShortText, TermDays
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.documents.languages import LanguageCode
from ledgerkit.core.sales.clients.table import ClientRow, Dir3
from ledgerkit.money import Rate, Sum


class ClientFields(Wire, row=ClientRow):
    tax_id: ShortText | None = None
    """Tax identifier, checked where the country is the account's own; null where not known."""
    tax_id_kind: ShortText | None = None
    country: CountryCode | None = None
    email: Email | None = None
    phone: ShortText | None = None
    address: ShortText | None = None
    city: ShortText | None = None
    province: ShortText | None = None
    postal_code: ShortText | None = None
    language: LanguageCode | None = None
    contact_name: ShortText | None = None
    first_name: ShortText | None = None
    surnames: ShortText | None = None
    dir3: Dir3 | None = None
    equivalence_surcharge: Flag = False
    default_tax_rate: Rate | None = None
    default_retention_rate: Rate | None = None
    payment_term_days: TermDays | None = None
    notes: LongText | None = None
    is_company: Flag | None = None
    """True for whoever acts as a business, false for a private person; default true, except for a natural person."""


class ClientInput(ClientFields):
    name: Name


class ClientChange(ClientFields):
    """Fields that are absent keep their value."""

    name: Name = ""


class Client(Wire, row=ClientRow):
    id: str
    name: str
    tax_id: str | None
    tax_id_kind: str | None
    country: str
    email: str | None
    phone: str | None
    address: str | None
    city: str | None
    province: str | None
    postal_code: str | None
    language: str | None
    contact_name: str | None
    first_name: str | None
    surnames: str | None
    dir3: Dir3 | None
    equivalence_surcharge: bool
    default_tax_rate: Rate | None
    default_retention_rate: Rate | None
    payment_term_days: int | None
    notes: str | None
    is_company: bool
    invoice_count: int
    """Number of the client's issued documents that count, credit notes too."""
    total_invoiced: Sum
    """Sum of those documents' totals, in the account's currency."""
    balance: Sum
    """Amount that the client still owes on them, in the account's currency; below zero where it is owed money."""
    warnings: list[str]
    created_at: Timestamp
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]
