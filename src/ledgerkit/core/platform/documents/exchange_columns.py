"""SQL expressions of amounts in the account's currency, of tables with a column `converted`.

`converted` is a JSON object whose keys are the wire's names of the columns; null in the account's own currency, and
where a document has no exchange rate.
"""

from decimal import Decimal
from typing import Any, NamedTuple

from pydantic.alias_generators import to_camel
from sqlalchemy import ColumnElement, Numeric, Table, case, cast, func, or_


def in_account_currency(table: Table, currency: ColumnElement[str]) -> ColumnElement[bool]:
    """SQL condition: the document is in the account's `currency`, or converted to it."""
    return or_(table.c.currency == currency, table.c.converted.is_not(None))


def account_amount(table: Table, name: str) -> ColumnElement[Decimal]:
    """SQL expression of the amount in the column `name`, converted where the document is."""
    return func.coalesce(cast(table.c.converted[to_camel(name)].astext, Numeric), table.c[name])


class Convertible(NamedTuple):
    """Columns by which a part of a document's total is converted."""

    total: ColumnElement[Decimal]
    exchange_rate: ColumnElement[Decimal]
    converted: ColumnElement[Any]


def account_balance(document: Convertible, settled: ColumnElement[Decimal]) -> ColumnElement[Decimal]:
    """SQL expression of the total less what is settled of it, converted where the document is.

    What is settled is converted as by `exchange_rates.converted_part`.
    """
    total = cast(document.converted["total"].astext, Numeric)
    of_total = settled * total / func.nullif(document.total, 0)
    converted_balance = total - func.round(func.coalesce(of_total, settled * document.exchange_rate), 2)
    return case((document.converted.is_(None), document.total - settled), else_=converted_balance)


def account_json(table: Table, name: str) -> ColumnElement[Any]:
    """SQL expression of the JSON in the column `name`, converted where the document is."""
    return func.coalesce(table.c.converted[to_camel(name)], table.c[name])
