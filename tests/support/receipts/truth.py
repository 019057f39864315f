"""The truth beside a generated document, and the words and numbers that it is made of."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from random import Random

from stdnum.es import ccc, cif, dni

from ledgerkit.money import percent_of, round_cents

MONTHS = (
    *("enero", "febrero", "marzo", "abril", "mayo", "junio"),
    *("julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"),
)
TODAY = date(2026, 11, 22)


@dataclass(frozen=True, kw_only=True)
class Tax:
    rate: Decimal
    base: Decimal
    amount: Decimal


@dataclass(frozen=True, kw_only=True)
class Truth:
    """Contents of a document; None where the document does not show it.

    Without `shows_figures` it names the rate of its tax, and neither base nor amount.
    """

    kind: str
    vendor: str
    tax_id: str | None
    issue_date: date
    total: Decimal
    taxes: tuple[Tax, ...] = ()
    shows_figures: bool = True
    retention: Decimal | None = None
    number: str | None = None
    iban: str | None = None
    payment_method: str | None = None

    @property
    def rates(self) -> frozenset[Decimal]:
        return frozenset(tax.rate for tax in self.taxes)


@dataclass
class Writer:
    """Habits of one document: its way with numbers, dates, euro signs and capitals."""

    dice: Random
    euro: str = ""
    date_form: int = 0
    decimal_mark: str = ","
    capitals: bool = False
    two_digit_rate: bool = False
    notes: list[str] = field(default_factory=list)

    @classmethod
    def drawn(cls, dice: Random) -> "Writer":
        return cls(
            dice=dice,
            euro=dice.choice(["", "", " €", "€", " EUR"]),
            date_form=dice.choice([0, 0, 0, 1, 2, 3, 4]),
            decimal_mark=dice.choice([",", ",", ",", "."]),
            capitals=dice.random() < 0.5,
            two_digit_rate=dice.random() < 0.3,
        )

    def money(self, value: Decimal, *, euro: bool = True) -> str:
        whole, cents = f"{abs(value):.2f}".split(".")
        if len(whole) > 3:
            whole = f"{int(whole):,}".replace(",", "." if self.decimal_mark == "," else ",")
        return f"{'-' if value < 0 else ''}{whole}{self.decimal_mark}{cents}{self.euro if euro else ''}"

    def day(self, value: date) -> str:
        forms = ("%d/%m/%Y", "%d-%m-%Y", "%d/%m/%y", "%d-%m-%y")
        if self.date_form == 4:
            return f"{value.day} de {MONTHS[value.month - 1]} de {value.year}"
        return value.strftime(forms[self.date_form])

    def rate(self, value: Decimal) -> str:
        return (f"{value:.2f}".replace(".", self.decimal_mark) if self.two_digit_rate else f"{value:f}") + "%"

    def say(self, words: str) -> str:
        return words.upper() if self.capitals else words


def cents(dice: Random, low: float, high: float) -> Decimal:
    return Decimal(dice.randint(round(low * 100), round(high * 100))) / 100


def day(dice: Random) -> date:
    return TODAY - timedelta(days=dice.randint(0, 700))


def company_tax_id(dice: Random) -> str:
    letter = dice.choice("ABBBF")
    digits = f"{dice.choice(['28', '08', '46', '41', '50', '33'])}{dice.randint(0, 99999):05d}"
    return f"{letter}{digits}{cif.calc_check_digits(letter + digits)[0]}"


def personal_tax_id(dice: Random) -> str:
    digits = f"{dice.randint(1_000_000, 79_999_999):08d}"
    return digits + dni.calc_check_digit(digits)


def shown_tax_id(dice: Random, value: str) -> str:
    """Return the identifier as printers write it: with hyphens, points or spaces, or as it is."""
    if value[0].isdigit():
        return dice.choice([value, f"{value[:8]}-{value[8]}", f"{value[:2]}.{value[2:5]}.{value[5:8]}-{value[8]}"])
    return dice.choice([value, value, f"{value[0]}-{value[1:]}", f"{value[0]} {value[1:]}", f"ES{value}"])


def iban(dice: Random) -> str:
    office = f"{dice.choice(['2100', '0049', '0182', '2038'])}{dice.randint(0, 9999):04d}"
    account = f"{dice.randint(0, 10**10 - 1):010d}"
    body = office + ccc.calc_check_digits(f"{office}00{account}") + account
    return f"ES{98 - int(body + '142800') % 97:02d}{body}"


def inclusive(rate: Decimal, gross: Decimal) -> Tax:
    """Return the tax that is contained in an amount."""
    base = round_cents(gross * 100 / (100 + rate))
    return Tax(rate=rate, base=base, amount=gross - base)


def exclusive(rate: Decimal, base: Decimal) -> Tax:
    return Tax(rate=rate, base=base, amount=percent_of(base, rate))
