"""Exchange rate of a document in another currency than the account's, and the conversion of its amounts.

A rate is stated by whoever records the document, with its source; none is fetched or guessed. Converted amounts are
stored with the document: a row of its tax breakdown at a time, half up to cents, and its sums are sums of those rows.
Source: RD 1619/2012 art. 12.1 (any currency, but the tax is expressed in euros); Ley 37/1992 art. 79.Once (the rate).
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

from pydantic import StringConstraints
from pydantic.alias_generators import to_camel
from sqlalchemy import ColumnElement, Numeric, Table, case, cast, func, or_

from ledgerkit.core.platform.api_types.fields import ONE_LINE, PRINTABLE
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.documents.texts import DocumentsMsg
from ledgerkit.money import LARGEST, ExchangeRate, round_cents
from ledgerkit.problems import Invalid

RateSource = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80), PRINTABLE, ONE_LINE]


class ExchangeFields(Wire):
    """Exchange rate as callers send it."""

    exchange_rate: ExchangeRate | None = None
    exchange_rate_source: RateSource | None = None


class Exchange(NamedTuple):
    """Value of one unit of a document's currency in the account's, and where it is from; None in the account's own."""

    rate: Decimal | None = None
    source: str | None = None


NO_EXCHANGE = Exchange()


def stated(data: ExchangeFields, currency: str, account_currency: str, default: Exchange = NO_EXCHANGE) -> Exchange:
    """Return the exchange that a request states for a document in `currency`, else `default`.

    Another rate than the default's has no source unless one is sent with it. Raises Invalid for a rate of the account's
    own currency that is not 1, and for a source without a rate.
    """
    sent = data.model_fields_set
    if currency == account_currency:
        if data.exchange_rate not in {None, Decimal(1)}:
            raise Invalid.field("exchangeRate", DocumentsMsg.EXCHANGE_RATE_NOT_ONE, currency=currency)
        return NO_EXCHANGE
    rate = data.exchange_rate if "exchange_rate" in sent else default.rate
    source = default.source if rate == default.rate else None
    if "exchange_rate_source" in sent:
        source = data.exchange_rate_source
    if rate is None and source is not None:
        raise Invalid.field("exchangeRateSource", DocumentsMsg.EXCHANGE_SOURCE_WITHOUT_RATE)
    return Exchange(rate, source)


def converted(amount: Decimal, rate: Decimal) -> Decimal:
    """Convert an amount into the account's currency, half up to cents."""
    return round_cents(amount * rate)


def converted_part(amount: Decimal, total: Decimal, converted_total: Decimal, rate: Decimal) -> Decimal:
    """Convert a part of a total, as a payment, so that the whole total is the converted total; half up to cents."""
    return round_cents(amount * converted_total / total) if total else converted(amount, rate)


def check_size(amounts: Sequence[Decimal]) -> None:
    """Raise Invalid for converted amounts that are too large to be stored."""
    if max(map(abs, amounts)) > LARGEST:
        raise Invalid.field("exchangeRate", DocumentsMsg.CONVERTED_TOO_LARGE, largest=LARGEST)


def check_remains(amounts: Iterable[Decimal], rate: Decimal | None) -> None:
    """Raise Invalid for an amount that is nothing in the account's currency, and not in the document's."""
    if rate is None:
        return
    for amount in amounts:
        if amount and not converted(amount, rate):
            raise Invalid.field("exchangeRate", DocumentsMsg.CONVERTED_TO_NOTHING, amount=amount)


# ---------------------------------------------------------------- SQL expressions of tables with a column `converted`
# It is a JSON object whose keys are the wire's names of the columns; null in the account's own currency, and where a
# document has no exchange rate.


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

    What is settled is converted as by `converted_part`.
    """
    total = cast(document.converted["total"].astext, Numeric)
    of_total = settled * total / func.nullif(document.total, 0)
    converted_balance = total - func.round(func.coalesce(of_total, settled * document.exchange_rate), 2)
    return case((document.converted.is_(None), document.total - settled), else_=converted_balance)


def account_json(table: Table, name: str) -> ColumnElement[Any]:
    """SQL expression of the JSON in the column `name`, converted where the document is."""
    return func.coalesce(table.c.converted[to_camel(name)], table.c[name])
