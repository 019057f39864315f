"""Cells of a file: numbers, days and truth values as people and their software write them."""

import re
from datetime import date
from decimal import Decimal

from ledgerkit.core.platform.imports.texts import ImportMsg
from ledgerkit.texts import ENGLISH, Joined, MessageId, Text, text

_YES, _NO = {"true", "1", "yes", "y", "si", "sí", "s", "verdadero", "x"}, {"false", "0", "no", "n", "falso"}
_PLAIN = re.compile(r"[+-]?(\d+\.\d*|\.\d+)", re.ASCII)
_GROUPED = {sign: re.compile(rf"[+-]?\d{{1,3}}({re.escape(sign)}\d{{3}})+", re.ASCII) for sign in ".,"}
_ISO_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]00:00(?::00)?)?", re.ASCII)
_SPANISH_DAY = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})", re.ASCII)
_LONGEST_SHOWN = 30


class RowError(ValueError):
    """Reason for which a row cannot be imported; `field` is the wire name of the field that is wrong."""

    def __init__(
        self, message: MessageId | Text, /, *, field: str | None = None, place: int | None = None, **values: object
    ) -> None:
        self.reason = text(message, **values) if isinstance(message, MessageId) else message
        self.field = field
        self.place = place
        super().__init__(self.text.in_language(ENGLISH))

    @property
    def text(self) -> Text:
        """Reason after the name of the field."""
        return self.reason if self.field is None else Joined([self.field, self.reason], separator=": ")


def is_empty(value: object) -> bool:
    """Return True for a cell without content, which counts as absent."""
    return value is None or (isinstance(value, str) and not value.strip())


def compact(content: str) -> str:
    """Return the text of a number without spaces, and without the sign of the euro or of percent."""
    return re.sub(r"[\s\u00a0\u202f€%]", "", content)


def number(content: str, field: str) -> Decimal:
    """Return the number in a text with a decimal point or comma; spaces and the other sign may group its thousands.

    `1.234` is a little more than one; `1.234.567` and `1.234,5` have thousands. Raises RowError.
    """
    signs = compact(content)
    decimal_sign, grouping_sign = (",", ".") if signs.rfind(",") > signs.rfind(".") else (".", ",")
    integer_part, _, decimals = signs.partition(decimal_sign) if signs.count(decimal_sign) == 1 else (signs, "", "")
    for sign in (decimal_sign, grouping_sign):
        integer_part = integer_part.replace(sign, "") if _GROUPED[sign].fullmatch(integer_part) else integer_part
    if not _PLAIN.fullmatch(f"{integer_part}.{decimals}"):
        raise RowError(ImportMsg.NOT_A_NUMBER, field=field, value=_shown(content))
    return Decimal(f"{integer_part}.{decimals}")


def truth(content: str, field: str) -> bool:
    """Return the truth value of a word, as `yes`, `sí` or `0`. Raises RowError."""
    word = content.strip().casefold()
    if word in _YES or word in _NO:
        return word in _YES
    raise RowError(ImportMsg.NOT_A_TRUTH_VALUE, field=field, value=_shown(content))


def day(content: str, field: str) -> date:
    """Return the day of `2026-03-05` or, as Spaniards write it, `5/3/2026`, `05-03-2026`. Raises RowError."""
    iso, spanish = _ISO_DAY.fullmatch(content.strip()), _SPANISH_DAY.fullmatch(content.strip())
    parts = iso.groups() if iso else spanish.groups()[::-1] if spanish else ()
    try:
        return date(*map(int, parts))
    except (TypeError, ValueError):
        raise RowError(ImportMsg.NOT_A_DAY, field=field, value=_shown(content)) from None


def _shown(content: str) -> str:
    return repr(content[:_LONGEST_SHOWN])
