"""Amounts, quantities and dates in the form of the document's language, exact to the last digit."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from babel import Locale
from babel.dates import format_date
from babel.numbers import format_currency, format_decimal

from ledgerkit.core.platform.documents.languages import Words


@dataclass(frozen=True)
class Formats:
    """Formats of one language and currency. Nothing here rounds: every digit of the Decimal is printed."""

    words: Words
    currency: str

    @property
    def locale(self) -> str:
        return self.words.locale

    def money(self, value: Decimal) -> str:
        """Format an amount with the currency's symbol and at least two decimals, whatever the currency's custom."""
        return format_currency(
            _at_least(value, 2), self.currency, locale=self.locale, currency_digits=False, decimal_quantization=False
        )

    def number(self, value: Decimal) -> str:
        return format_decimal(_at_least(value, 0), locale=self.locale, decimal_quantization=False)

    def percent(self, value: Decimal) -> str:
        """Format a rate in percent: 21 becomes 21 % in Spanish, 21% in English."""
        spaced = "\N{NO-BREAK SPACE}" in Locale.parse(self.locale).percent_formats[None].pattern
        return self.number(value) + ("\N{NO-BREAK SPACE}%" if spaced else "%")

    def day(self, value: date) -> str:
        return format_date(value, self.words["date"], locale=self.locale)


def iban(value: str) -> str:
    """Format an IBAN in groups of four, as banks print it."""
    compact = "".join(value.split())
    return "\N{NO-BREAK SPACE}".join(compact[i : i + 4] for i in range(0, len(compact), 4))


def _at_least(value: Decimal, places: int) -> Decimal:
    """Return `value` without trailing zeros beyond `places` decimals."""
    exponent = value.normalize().as_tuple().exponent
    decimals = max(places, -exponent) if isinstance(exponent, int) else places
    return value.quantize(Decimal(1).scaleb(-decimals))
