"""Countries: what forms offer of their taxes, in the caller's language."""

from ledgerkit.core.platform.countries.api import (
    CorrectableDocuments,
    Country,
    CountryCorrectionReason,
    CountryExemption,
    CountryTaxRate,
    CountryTaxWords,
    ExampleClient,
)
from ledgerkit.core.platform.countries.texts import CountriesMsg
from ledgerkit.core.platform.documents.payment_terms import TERM_DAYS
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.problems import NotFound
from ledgerkit.providers.api import CorrectionReason, Party, TaxExemption, TaxRate, TaxWords
from ledgerkit.texts import Joined


@operation(Permission.ACCOUNT, unit=Unit.READING)
async def get(ctx: Context, code: str) -> Country:
    """Return what forms offer of an installed country (ISO 3166 alpha-2, any case). Raises NotFound."""
    installed = ctx.kernel.countries
    provider = installed.get(code.upper())
    if provider is None:
        listed = Joined(sorted(installed.countries))
        raise NotFound(CountriesMsg.NOT_INSTALLED, country=code, listed=listed)
    facts, language = provider.tax_facts, ctx.request_metadata.language
    return Country(
        code=provider.code,
        tax_rates=[_rate(rate, language) for rate in facts.rates],
        exemptions=[_exemption(exemption, language) for exemption in facts.exemptions],
        correction_reasons=[_reason(reason, language) for reason in facts.corrections],
        tax_words=_words(facts.words, language) if facts.words else None,
        hints={field: _label(hint, language) for field, hint in facts.hints.items()},
        example_clients=[_example(client) for client in provider.example_clients],
        payment_term_days=TERM_DAYS,
    )


def _label(label: str, language: str) -> str:
    """Return a label, which is words or a message id, in the caller's language."""
    return Joined([label]).in_language(language)


def _rate(rate: TaxRate, language: str) -> CountryTaxRate:
    return CountryTaxRate(
        rate=rate.percent,
        label=_label(rate.name, language),
        valid_from=rate.since,
        valid_to=rate.until,
        surcharges=list(rate.surcharges),
        source=rate.source,
    )


def _exemption(exemption: TaxExemption, language: str) -> CountryExemption:
    return CountryExemption(
        code=exemption.code,
        label=_label(exemption.label, language),
        valid_from=exemption.since,
        valid_to=exemption.until,
    )


def _reason(reason: CorrectionReason, language: str) -> CountryCorrectionReason:
    corrects = [
        CorrectableDocuments(
            doc_type=document.kind, with_detail=document.with_detail, without_detail=document.without_detail
        )
        for document in reason.documents
    ]
    return CountryCorrectionReason(code=reason.code, label=_label(reason.label, language), corrects=corrects)


def _words(words: TaxWords, language: str) -> CountryTaxWords:
    return CountryTaxWords(
        tax=_label(words.tax, language),
        income_tax=_label(words.income_tax, language),
        retention=_label(words.retention, language),
    )


def _example(client: Party) -> ExampleClient:
    return ExampleClient(
        name=client.name,
        tax_id=client.tax_id,
        postal_code=client.postal_code,
        city=client.city,
        province=client.province,
    )
