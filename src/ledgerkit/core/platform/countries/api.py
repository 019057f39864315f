"""Shapes of a country: what forms offer of its taxes, and how they name them."""

from datetime import date
from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.money import Rate
from ledgerkit.providers.api import DocumentKind, HintedField

Label = Annotated[str, Field(description="In the language of `Accept-Language` where the country has it, else English")]
ValidFrom = Annotated[date | None, Field(description="First day on which it may be used; null: no first day is known")]
ValidTo = Annotated[date | None, Field(description="Last day on which it may be used; null: no end is known")]


class CountryTaxRate(Wire):
    """A rate of the country's general tax in one period."""

    rate: Annotated[Rate, Field(description="Percent, as `taxRate` of a line takes it")]
    label: Label
    valid_from: Annotated[date, Field(description="First day on which it is in force")]
    valid_to: Annotated[date | None, Field(description="Last day on which it is in force; null: no end is known")]
    surcharges: list[Rate]
    """Percent of the equivalence surcharges that go with it, the usual one first; mostly empty."""
    source: Annotated[str, Field(description="Law, article and version that the rate was read in")]


class CountryExemption(Wire):
    """A code that a line without tax may carry."""

    code: Annotated[str, Field(description="As `exemptionCode` of a line takes it")]
    label: Label
    valid_from: ValidFrom
    valid_to: ValidTo


class CorrectableDocuments(Wire):
    """Documents of one kind that a reason corrects, by what their `fiscalDetails` say."""

    doc_type: Annotated[DocumentKind, Field(description="Kind of the document that is corrected")]
    with_detail: str | None
    """Field of `fiscalDetails` that is set on these documents; null: none has to be."""
    without_detail: str | None
    """Field of `fiscalDetails` that is not set on them; null: any may be."""


class CountryCorrectionReason(Wire):
    """A reason for correcting an issued document."""

    code: Annotated[str, Field(description="As `reason` of a credit note takes it")]
    label: Label
    corrects: list[CorrectableDocuments]
    """What it may correct: documents that fit one of these."""


class CountryTaxWords(Wire):
    """Names of the country's taxes, as they are written in the middle of a sentence; in the caller's language."""

    tax: Annotated[str, Field(description="General tax, whose rates are `taxRates`")]
    income_tax: Annotated[str, Field(description="Tax on income")]
    retention: Annotated[str, Field(description="Retention on account of the tax on income, as an invoice states it")]


class ExampleClient(Wire):
    """An invented client, as the examples of the first run need it."""

    name: Annotated[str, Field(description="Name of an invented business")]
    tax_id: Annotated[str | None, Field(description="Tax id that the country's check takes, and that is nobody's")]
    postal_code: Annotated[str | None, Field(description="Postal code of the city")]
    city: Annotated[str | None, Field(description="City of the country")]
    province: Annotated[str | None, Field(description="Province of the city; null where the country has none")]


class Country(Wire):
    """Offer of the forms for one country's taxes. An empty list offers nothing; without rates, any rate is accepted."""

    code: Annotated[str, Field(description="ISO 3166 alpha-2")]
    tax_rates: list[CountryTaxRate]
    """Rates of the general tax in all their periods; of those of a day the general one is first."""
    exemptions: Annotated[list[CountryExemption], Field(description="The usual one first")]
    correction_reasons: Annotated[list[CountryCorrectionReason], Field(description="The usual one first")]
    tax_words: Annotated[
        CountryTaxWords | None, Field(description="Null: the country has no names of its own for taxes")
    ]
    hints: Annotated[
        dict[HintedField, Label],
        Field(description="Hints beside fields of forms, by the field's name; a field that is left out has none"),
    ]
    example_clients: Annotated[
        list[ExampleClient], Field(description="Invented clients for the examples of the first run")
    ]
    payment_term_days: Annotated[
        int,
        Field(description="Days until an invoice is due where neither the account nor its client or vendor states any"),
    ]
