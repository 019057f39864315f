"""Characters of one field: from a value, and back."""

import re
import unicodedata
from decimal import Decimal, InvalidOperation

from ledgerkit.providers.api.records import FieldProblem
from ledgerkit.providers.api.tax_forms import UnreadableFileError
from ledgerkit.providers.es.tax_forms.layouts.design import Content, Field, FieldType, Style, Value
from ledgerkit.providers.es.tax_forms.messages import LayoutMsg

NEGATIVE = "N"

_DIGITS = re.compile(r"[0-9]*")
_UNANSWERED = frozenset({" ", "0"})
"""Characters of a flag that nobody answered: AEAT, design of model 390 (1.03), page 1, fields 17 to 21."""


class RefusedValueError(Exception):
    """The value does not fit its field."""

    def __init__(self, problem: FieldProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def encode(field: Field, value: Value, style: Style, path: str) -> str:
    """Return the characters of a field that holds a value; None stands for blank, zero or no.

    Raises RefusedValueError, whose problem names `path`, for a value that does not fit, and TypeError for one of
    another type than the field's.
    """
    match field.content:
        case Content.RESERVED:
            return _reserved(field)
        case Content.CONSTANT:
            return field.constant
        case Content.FLAG:
            return _encoded_flag(field, value)
        case Content.DIGITS:
            return _encoded_digits(field, value, path)
        case Content.TEXT:
            return _encoded_text(field, value, style, path)
        case Content.AMOUNT:
            return _encoded_amount(field, value, style, path)


def decode(field: Field, characters: str, style: Style) -> Value:
    """Return the value of a field's characters; a text is stripped, blank digits are "".

    Raises UnreadableFileError for characters that the field cannot have.
    """
    match field.content:
        case Content.RESERVED | Content.CONSTANT:
            return _expected(field, characters)
        case Content.FLAG:
            return _decoded_flag(field, characters)
        case Content.DIGITS:
            return _decoded_digits(field, characters)
        case Content.TEXT:
            return characters.strip()
        case Content.AMOUNT:
            return _decoded_amount(field, characters, style)


def is_filled(value: Value) -> bool:
    """Return True for a value that says something: neither absent, blank, zero nor no."""
    if isinstance(value, str):
        return bool(value.strip(" 0.,"))
    return bool(value)


def _reserved(field: Field) -> str:
    return ("0" if field.type is FieldType.NUM else " ") * field.length


def _encoded_flag(field: Field, value: Value) -> str:
    if value is not None and not isinstance(value, bool):
        raise TypeError(f"{field.name}: {value!r} is neither True nor False")
    return field.yes if value else field.no


def _encoded_digits(field: Field, value: Value, path: str) -> str:
    digits = _plain_text(field, value).strip()
    if not _DIGITS.fullmatch(digits):
        raise RefusedValueError(FieldProblem.of(path, "DIGITS_ONLY", LayoutMsg.DIGITS_ONLY, text=digits))
    if len(digits) > field.length:
        raise _too_long(field, path)
    return digits.zfill(field.length)


def _encoded_text(field: Field, value: Value, style: Style, path: str) -> str:
    text = to_latin(_plain_text(field, value), accents=style.accents)
    if strange := unwritable(text):
        raise RefusedValueError(FieldProblem.of(path, "CHARACTERS", LayoutMsg.CHARACTERS, characters=strange))
    if len(text) > field.length and not field.shortened:
        raise _too_long(field, path)
    return text[: field.length].ljust(field.length)


def _plain_text(field: Field, value: Value) -> str:
    if isinstance(value, bool | Decimal):
        raise TypeError(f"{field.name}: {value!r} is no text")
    return "" if value is None else str(value)


def _too_long(field: Field, path: str) -> RefusedValueError:
    return RefusedValueError(FieldProblem.of(path, "TOO_LONG", LayoutMsg.TOO_LONG, length=field.length))


def _encoded_amount(field: Field, value: Value, style: Style, path: str) -> str:
    amount = _amount(field, value, path)
    if amount.adjusted() >= field.length:
        raise _too_large(amount, path)
    units = amount.scaleb(field.decimals)
    if units != units.to_integral_value():
        problem = FieldProblem.of(
            path, "AMOUNT_DECIMALS", LayoutMsg.AMOUNT_DECIMALS, amount=amount, decimals=field.decimals
        )
        raise RefusedValueError(problem)
    if amount < 0 and field.type is FieldType.NUM:
        raise RefusedValueError(FieldProblem.of(path, "AMOUNT_NEGATIVE", LayoutMsg.AMOUNT_NEGATIVE, amount=amount))
    return _signed_digits(field, int(units), style, path)


def _amount(field: Field, value: Value, path: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, Decimal | int | str | None):
        raise TypeError(f"{field.name}: {value!r} is no exact amount")
    try:
        amount = Decimal(value or 0)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        raise RefusedValueError(FieldProblem.of(path, "NOT_AN_AMOUNT", LayoutMsg.NOT_AN_AMOUNT, text=value))
    return amount


def _signed_digits(field: Field, units: int, style: Style, path: str) -> str:
    sign = _sign(field, units, style)
    digits = str(abs(units)).zfill(field.length - len(sign))
    if len(sign + digits) > field.length:
        raise _too_large(Decimal(units).scaleb(-field.decimals), path)
    return sign + digits


def _too_large(amount: Decimal, path: str) -> RefusedValueError:
    problem = FieldProblem.of(path, "AMOUNT_TOO_LARGE", LayoutMsg.AMOUNT_TOO_LARGE, amount=amount)
    return RefusedValueError(problem)


def _sign(field: Field, units: int, style: Style) -> str:
    if units < 0:
        return NEGATIVE
    return " " if style.blank_sign and field.type is FieldType.N else ""


def _expected(field: Field, characters: str) -> str:
    expected = field.constant or _reserved(field)
    if characters != expected:
        raise _unreadable(field, characters, f"{expected.strip() or 'blanks'!r} was expected")
    return characters


def _decoded_flag(field: Field, characters: str) -> bool:
    if characters not in {field.yes, field.no, *_UNANSWERED}:
        raise _unreadable(field, characters, f"neither {field.yes!r} nor {field.no!r}")
    return characters == field.yes


def _decoded_digits(field: Field, characters: str) -> str:
    if not _DIGITS.fullmatch(characters.strip()):
        raise _unreadable(field, characters, "no digits")
    return "" if not characters.strip(" 0") else characters.strip()


def _decoded_amount(field: Field, characters: str, style: Style) -> Decimal:
    negative = field.type is FieldType.N and characters.startswith(NEGATIVE)
    signless = negative or (field.type is FieldType.N and style.blank_sign and characters.startswith(" "))
    digits = characters[1:] if signless else characters
    if not digits or not _DIGITS.fullmatch(digits):
        raise _unreadable(field, characters, "no number")
    amount = Decimal(digits).scaleb(-field.decimals)
    return -amount if negative and amount else amount


def _unreadable(field: Field, characters: str, reason: str) -> UnreadableFileError:
    return UnreadableFileError(f"position {field.position} ({field.name or field.content}): {characters!r}: {reason}")


_SPACES = re.compile(r"\s+")
_KEPT_LETTERS = frozenset("ÑÇ")
_SPELLED = {
    "Đ": "D",
    "Ł": "L",
    "Œ": "OE",
    "Ħ": "H",
    "Ŧ": "T",
    "\N{EURO SIGN}": "EUR",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
}
"""Spelling of characters that Unicode does not take apart."""


def to_latin(text: str, *, accents: bool) -> str:
    """Return the text in upper case, with what ISO-8859-1 lacks spelled in its letters where that is possible.

    Without `accents`, only Ñ and Ç keep their marks. Runs of white space become one blank; characters that cannot be
    spelled stay: `unwritable` names them.
    """
    upper = _SPACES.sub(" ", text).strip().upper()
    return "".join(_spelled(character, accents=accents) for character in upper).strip()


def unwritable(text: str) -> str:
    """Return the characters of a text that ISO-8859-1 cannot hold or that are no printed ones, each once."""
    return "".join(dict.fromkeys(character for character in text if not _is_writable(character)))


def _spelled(character: str, *, accents: bool) -> str:
    if _is_writable(character) and (accents or character.isascii() or character in _KEPT_LETTERS):
        return character
    if unicodedata.category(character) == "Cf":
        return ""
    if character in _SPELLED:
        return _SPELLED[character]
    bare = "".join(part for part in unicodedata.normalize("NFKD", character) if not unicodedata.combining(part))
    return bare if bare.isascii() and bare.isprintable() else character


def _is_writable(character: str) -> bool:
    return character.isprintable() and ord(character) < 256
