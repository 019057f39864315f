"""Official designs of files with fixed positions, as typed values: fields, pages or records, rules, usual values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

from ledgerkit.providers.api.tax_forms import YEAR, TaxPeriod, UnreadableFileError

Value = Decimal | str | int | bool | None
"""Value of a field: None stands for an absent one."""

Values = Mapping[str, Value]
"""Values by the official number of a box or by a name of ours."""


class FieldType(StrEnum):
    """Official type: letters, letters and digits, unsigned number, number with a sign."""

    A = "A"
    AN = "An"
    NUM = "Num"
    N = "N"


class Content(StrEnum):
    """Meaning of a field's characters; digits are an identification, with leading zeros that count."""

    RESERVED = "reserved"
    CONSTANT = "constant"
    TEXT = "text"
    DIGITS = "digits"
    FLAG = "flag"
    AMOUNT = "amount"


@dataclass(frozen=True, kw_only=True, slots=True)
class Style:
    """Conventions of a design.

    With `blank_sign` a number with a sign begins with `N` or a blank, otherwise with `N` or a digit.
    """

    blank_sign: bool = False
    accents: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """Field of a page or record: its first position (from 1), length in characters, and what it holds.

    `name` is the official number of a box, or a name of ours. `yes` and `no` are the characters of a flag. A text that
    may be `shortened` is cut at its length; any other that is too long is refused.
    """

    position: int
    length: int
    type: FieldType
    content: Content
    decimals: int = 0
    name: str = ""
    constant: str = ""
    yes: str = ""
    no: str = ""
    mandatory: bool = False
    shortened: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Condition:
    """Circumstances that must all hold: the last period of a year, and characters that named fields have."""

    last_period: bool = False
    fields: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))


ALWAYS = Condition()


@dataclass(frozen=True, kw_only=True)
class Segment:
    """Page of a form, or record of a list: contiguous fields.

    A page is written where `condition` holds and, with `only_filled`, where a value of it is neither zero nor blank.
    """

    name: str
    fields: tuple[Field, ...]
    condition: Condition = ALWAYS
    only_filled: bool = False

    @property
    def length(self) -> int:
        return self.fields[-1].position + self.fields[-1].length - 1

    @cached_property
    def named(self) -> Mapping[str, Field]:
        return {field.name: field for field in self.fields if field.name}


@dataclass(frozen=True, kw_only=True, slots=True)
class Requirement:
    """Fields that must be given where `condition` holds: all of them, or any. `record` names the list's record."""

    fields: tuple[str, ...]
    condition: Condition = ALWAYS
    any_of: bool = False
    record: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Usual:
    """Values that stand for absent ones in periods that end from `since` to `until`, both included.

    `{year}` and `{month}` in them are those of the period's last day. `monthly` ones stand in monthly periods only.
    """

    values: Mapping[str, str]
    since: date = date.min
    until: date = date.max
    monthly: bool = False

    def applies(self, period: TaxPeriod) -> bool:
        in_force = self.since <= period.span.last <= self.until
        return in_force and (not self.monthly or period.code.startswith("M"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Design:
    """Official design of a form's file for periods that end from `since` to `until`, both included.

    A file has `pages` in an envelope, or is a list whose first record is that of the declarant; one of them is empty.
    `final_break` says that CRLF follows the envelope.
    """

    form: str
    code: str
    source: str
    since: date
    until: date
    style: Style
    pages: tuple[Segment, ...]
    records: tuple[Segment, ...]
    requirements: tuple[Requirement, ...]
    usual: tuple[Usual, ...]
    final_break: bool

    @property
    def declarant(self) -> Segment:
        return self.records[0]

    @property
    def head(self) -> Sequence[Segment]:
        """Pages, or the record of the declarant: all that is there once."""
        return self.pages or self.records[:1]


_WHOLE_YEAR = "0A"


def official_period(period: TaxPeriod) -> str:
    """Return the official code of a period: `1T` for `Q1`, `01` for `M01`, `0A` for `Y`."""
    if period.code == YEAR:
        return _WHOLE_YEAR
    return f"{period.code[1]}T" if period.code.startswith("Q") else period.code[1:]


def read_period(year: str, code: str) -> TaxPeriod:
    """Return the period of an official year and code. Raises UnreadableFileError for those that do not exist."""
    periods_by_code = {official_period(period): period for period in _periods(year)}
    if code not in periods_by_code:
        raise UnreadableFileError(f"{year} {code}: no period")
    return periods_by_code[code]


def _periods(year: str) -> list[TaxPeriod]:
    if len(year) != 4 or not (year.isascii() and year.isdigit()) or year < "0001":
        raise UnreadableFileError(f"{year}: no year")
    codes = (YEAR, *(f"Q{number}" for number in range(1, 5)), *(f"M{number:02d}" for number in range(1, 13)))
    return [TaxPeriod(int(year), code) for code in codes]
