"""Types of input fields that several domains share: bounded, trimmed, and storable."""

import re
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, EmailStr, Field, SecretStr, Strict, StringConstraints
from stdnum import iban

from ledgerkit.core.platform.api_types.texts import FormMsg
from ledgerkit.texts.refusals import refusal

FIRST_DAY, LAST_DAY = date(2000, 1, 1), date(2100, 12, 31)


_UNSTORABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def is_storable(value: str) -> bool:
    """Return True when PostgreSQL and XML 1.0 (§2.2, Char) can hold it: no control character, no lone surrogate."""
    return _UNSTORABLE.search(value) is None


def _printable(value: str) -> str:
    if not is_storable(value):
        raise refusal("text_invalid", FormMsg.CONTROL_CHARACTERS)
    return value


def _printable_secret(value: SecretStr) -> SecretStr:
    _printable(value.get_secret_value())
    return value


_BREAKING = re.compile("[\t\n\r\u0080-\u009f\u2028\u2029]")


def _on_one_line(value: object) -> object:
    """Replace what breaks lines, and the control characters of ISO 6429, by a space: pasted names bring them along."""
    if not isinstance(value, str) or _BREAKING.search(value) is None:
        return value
    return " ".join(_BREAKING.sub(" ", value).split())


ONE_LINE = BeforeValidator(_on_one_line)
"""For names and other texts of one line, after all else: they go to mails, PDFs and fiscal records as they are."""

PRINTABLE = AfterValidator(_printable)
"""For a type with bounds of its own, after them: `Annotated[str, StringConstraints(...), PRINTABLE]`."""

PRINTABLE_SECRET = AfterValidator(_printable_secret)
"""Like `PRINTABLE`, for text that no log shows."""

Text = Annotated[str, PRINTABLE]
ShortText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200), PRINTABLE, ONE_LINE]


def _required(longest: int) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=longest)


Name = Annotated[str, _required(120), PRINTABLE, ONE_LINE]
Description = Annotated[str, _required(1000), PRINTABLE]
Category = Annotated[str, _required(60), PRINTABLE, ONE_LINE]
Remark = Annotated[str, _required(500), PRINTABLE]
ShortRemark = Annotated[Remark, ONE_LINE]
CountryCode = Annotated[str, StringConstraints(strip_whitespace=True, to_upper=True, pattern=r"^[A-Za-z]{2}$")]
CurrencyCode = Annotated[str, StringConstraints(strip_whitespace=True, to_upper=True, pattern=r"^[A-Za-z]{3}$")]
Email = Annotated[EmailStr, Field(max_length=254), AfterValidator(str.lower)]
LongText = Annotated[str, StringConstraints(max_length=5000), PRINTABLE]


def _plausible(day: date) -> date:
    if not FIRST_DAY <= day <= LAST_DAY:
        raise refusal("date_out_of_range", FormMsg.DAY_OUT_OF_RANGE)
    return day


Day = Annotated[date, Field(strict=False), AfterValidator(_plausible)]
"""A calendar date, `YYYY-MM-DD`."""


def _iban(value: str) -> str:
    if not iban.is_valid(value):
        raise refusal("iban_invalid", FormMsg.IBAN)
    return str(iban.compact(value))


Iban = Annotated[str, StringConstraints(max_length=60), AfterValidator(_iban)]
"""A bank account's number (ISO 13616) without spaces, its check digits right."""


def few(most: int) -> BeforeValidator:
    """Refuse an object of more than `most` members before any of them is looked at: each could be an error."""

    def check(value: object) -> object:
        if isinstance(value, dict) and len(value) > most:
            raise refusal("too_long", FormMsg.ENTRIES_AT_MOST, max_length=most)
        return value

    return BeforeValidator(check)


WholeNumber = Annotated[int, Strict()]
"""Neither `true` nor `"5"` is a number."""

Flag = Annotated[bool, Strict()]
"""Neither `0` nor `"yes"` is true or false."""

VariantIndex = Annotated[WholeNumber, Field(ge=0, le=10_000)]
"""Place of a variant in its item's list, from 0."""

TermDays = Annotated[WholeNumber, Field(ge=0, le=365)]
"""Days from an invoice's date until it is due."""
