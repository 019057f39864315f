"""Problems of a sale's simplified invoice, with the field names of the sale that the caller knows."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from ledgerkit.core.cash_register.texts import CashRegisterMsg
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.texts import Joined, Message, ProblemText, Text, text

_PATH_VALUES = ("field", "path")
"""Names of the values of texts that are paths of fields."""


@contextmanager
def with_fields_of_the_sale() -> Iterator[None]:
    """Raise problems of the invoice within under the names of the sale's fields: `items` is `lineItems` there."""
    try:
        yield
    except Invalid as problem:
        names = {error.field: _field_of_sale(error.field) for error in problem.errors}
        errors = [_renamed_error(error, names) for error in problem.errors]
        renamed = _renamed_problem(problem.text, names)
        if problem.code is Code.FISCAL_CHECK_FAILED:
            renamed = ProblemText(renamed.message, _with_way_out(renamed.remedy))
        raise Invalid(renamed, code=problem.code, errors=errors) from problem


def _field_of_sale(field: str) -> str:
    if field.startswith("items"):
        return f"lineItems{field.removeprefix('items')}"
    return "amount" if field == "total" else field


def _renamed_error(error: FieldError, names: Mapping[str, str]) -> FieldError:
    return replace(error, field=names[error.field], text=_renamed_problem(error.text, names))


def _renamed_problem(problem: ProblemText, names: Mapping[str, str]) -> ProblemText:
    remedy = None if problem.remedy is None else _renamed(problem.remedy, names)
    return ProblemText(_renamed(problem.message, names), remedy)


def _renamed(words: Text, names: Mapping[str, str]) -> Text:
    """Return the text with other values where it is filled with the names of fields."""
    match words:
        case Joined():
            return replace(words, parts=[_renamed_part(part, names) for part in words.parts])
        case Message():
            paths = {name: path for name in _PATH_VALUES if isinstance(path := words.values.get(name), str)}
            changed = {name: names.get(path, path) for name, path in paths.items()}
            return replace(words, values={**words.values, **changed})
        case _:
            return words


def _renamed_part(part: object, names: Mapping[str, str]) -> object:
    if isinstance(part, Text):
        return _renamed(part, names)
    return names.get(part, part) if isinstance(part, str) else part


def _with_way_out(remedy: Text | None) -> Text:
    """Return the remedy, followed by the other way to sell what no simplified invoice can be made for."""
    invoice_apart = text(CashRegisterMsg.INVOICE_APART)
    return invoice_apart if remedy is None else Joined((remedy, invoice_apart), " ")
