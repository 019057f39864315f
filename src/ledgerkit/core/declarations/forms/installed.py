"""Forms of the installed countries, and the values of their boxes."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from ledgerkit.core.declarations.table import DeclarationRow, StoredWarning
from ledgerkit.core.declarations.texts import DeclarationsMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Errors
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.providers.api import Box, CountryProvider, TaxForm, TaxPeriod
from ledgerkit.texts import ENGLISH, Text

COUNTRY_ERRORS: Errors = [(Invalid, {Code.DECLARATION_UNSUPPORTED})]


@dataclass(frozen=True)
class FormPeriod:
    """Form of a country and the period that it declares."""

    provider: CountryProvider
    form: TaxForm
    period: TaxPeriod

    @cached_property
    def boxes(self) -> Mapping[str, Box]:
        return self.form.boxes(self.period)

    @property
    def label(self) -> str:
        """Return the name of the declaration for people, as `303 2026 Q3`."""
        return f"{self.form.code} {self.period.year} {self.period.code}"

    def exact(self, values: Mapping[str, Decimal]) -> dict[str, Decimal]:
        """Return stored values with the decimals of their boxes; values without a box in the form keep theirs."""
        return {key: self._exact(key, value) for key, value in values.items()}

    def _exact(self, key: str, value: Decimal) -> Decimal:
        box = self.boxes.get(key)
        return value if box is None else value.quantize(Decimal(1).scaleb(-box.decimals))


def with_forms(ctx: Context) -> list[CountryProvider]:
    """Return the installed countries that have forms, by code."""
    countries = sorted(ctx.kernel.countries.countries.values(), key=lambda country: country.code)
    return [country for country in countries if country.declarations]


def country_of(ctx: Context, code: str | None) -> CountryProvider:
    """Return a country, by default the account's, which may have no forms. Raises Invalid if it is not installed."""
    country = ctx.kernel.countries.get(code or ctx.account.country)
    return provider_of(ctx, code or ctx.account.country) if country is None else country


def provider_of(ctx: Context, code: str) -> CountryProvider:
    """Return an installed country that has forms. Raises Invalid DECLARATION_UNSUPPORTED."""
    country = ctx.kernel.countries.get(code)
    if country is None or not country.declarations:
        listed = ", ".join(country.code for country in with_forms(ctx)) or "-"
        raise Invalid.field(
            "country", DeclarationsMsg.COUNTRY_UNKNOWN, code=Code.DECLARATION_UNSUPPORTED, country=code, listed=listed
        )
    return country


def target(ctx: Context, country: str, code: str | None, year: int, period: str) -> FormPeriod:
    """Return the form, by default the country's first, for a period. Raises Invalid for an unknown form or period."""
    provider = provider_of(ctx, country)
    form = _form(provider, code)
    if form is None:
        listed = ", ".join(declaration.code for declaration in provider.declarations)
        raise Invalid.field("form", DeclarationsMsg.FORM_UNKNOWN, form=code, country=country, listed=listed)
    periods = form.periods(year)
    if not periods:
        raise Invalid.field("year", DeclarationsMsg.FORM_UNKNOWN_IN_YEAR, form=form.code, year=year)
    if period not in periods:
        listed = ", ".join(periods)
        raise Invalid.field("period", DeclarationsMsg.PERIOD_UNKNOWN, period=period, form=form.code, listed=listed)
    return FormPeriod(provider, form, TaxPeriod(year, period))


def installed(ctx: Context, row: DeclarationRow) -> FormPeriod | None:
    """Return the form of a stored declaration; None where its country or form is not installed any more."""
    provider = ctx.kernel.countries.get(row.country)
    form = None if provider is None else _form(provider, row.form)
    if provider is None or form is None or row.period not in form.periods(row.year):
        return None
    return FormPeriod(provider, form, TaxPeriod(row.year, row.period))


def target_of(ctx: Context, row: DeclarationRow) -> FormPeriod:
    """Return the form of a stored declaration. Raises Invalid where it is not installed any more."""
    of = installed(ctx, row)
    if of is None:
        raise Invalid(DeclarationsMsg.FORM_GONE, form=row.form, country=row.country, year=row.year)
    return of


def check_boxes(of: FormPeriod, values: Mapping[str, Decimal], field: str) -> None:
    """Raise Invalid naming each value that no box of the form can have; `field` is the name of the whole mapping."""
    errors = [error for key, value in values.items() if (error := _refusal(of, key, value, f"{field}.{key}"))]
    if errors:
        raise Invalid(errors[0].text.about(errors[0].field), errors=errors)


def named(names: Mapping[str, str], language: str) -> str:
    """Return a name in a language, else in English, else in the first language that it has."""
    return names.get(language) or names.get(ENGLISH) or next(iter(names.values()), "")


def wordings(words: Text) -> dict[str, str]:
    """Return a text in all its languages, or only in English."""
    return {language: words.in_language(language) for language in words.languages or (ENGLISH,)}


def warning(code: str, words: Text, document_ids: tuple[str, ...] = ()) -> StoredWarning:
    """Return a warning in all languages of its words, as it is stored."""
    return StoredWarning(code=code, message=wordings(words), document_ids=document_ids)


def _form(provider: CountryProvider, code: str | None) -> TaxForm | None:
    if code is None:
        return provider.declarations[0]
    return next((form for form in provider.declarations if form.code == code), None)


def _refusal(of: FormPeriod, key: str, value: Decimal, path: str) -> FieldError | None:
    box = of.boxes.get(key)
    if box is None:
        boxes = ", ".join(of.boxes)
        return FieldError.of(path, "box_unknown", DeclarationsMsg.BOX_UNKNOWN, box=key, form=of.label, known=boxes)
    if value < 0 and not box.signed:
        return FieldError.of(path, "box_negative", DeclarationsMsg.BOX_NEGATIVE, box=key)
    if value != round(value, box.decimals):
        return FieldError.of(path, "too_many_decimals", DeclarationsMsg.BOX_TOO_PRECISE, box=key, places=box.decimals)
    return None
