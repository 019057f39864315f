"""Fields of received documents as callers send them, the same for expenses and supplier invoices."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ledgerkit.core.platform.api_types.fields import ONE_LINE, PRINTABLE, Category, CurrencyCode, Day, Flag, LongText
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.money import Amount, Rate

IntraEu = Literal["none", "goods", "services"]
RegimeKey = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{1,4}$")]
Retained = Literal["employment", "employment_in_kind", "professional", "rent", "other"]
Reference = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40), PRINTABLE, ONE_LINE]
Years = Annotated[int, Field(ge=1, le=100)]
Link = Annotated[str, StringConstraints(pattern=r"^(https?://|/)[!-~]*$", max_length=2000)]

WARNINGS = "Doubts about its tax and its period, each with a code; empty in lists"


class PurchaseDetails(Wire):
    """Details of a received document, most of which tax declarations need."""

    operation_date: Day | None = None
    reception_date: Day | None = None
    deduction_date: Day | None = None
    category: Category | None = None
    tax_rate: Rate | None = None
    tax_amount: Amount | None = None
    retention_rate: Rate | None = None
    retention_amount: Amount | None = None
    currency: CurrencyCode | None = None
    deductible_percent: Rate | None = None
    income_tax_percent: Rate | None = None
    regime_key: RegimeKey | None = None
    notes: LongText | None = None
    retention_kind: Retained | None = None
    leased_property: Reference | None = None
    import_dua: Reference | None = None
    useful_life_years: Years | None = None
    triangular: Annotated[
        Flag | None,
        Field(description="EU goods sent on to a customer in a third EU country; default false"),
    ] = None
