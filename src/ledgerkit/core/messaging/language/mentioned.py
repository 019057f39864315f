"""Records, amounts and days that a message mentions."""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal

from ledgerkit.core.messaging.language.calendar import Direction
from ledgerkit.core.messaging.language.dates import MONTHS, Day, day_at
from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.requests import Ask, InvoiceRef, RequestLack
from ledgerkit.core.messaging.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("invoices")
_DRAFT = _VOCABULARY.phrases("draft")
_LAST = _VOCABULARY.phrases("last")
_OLDEST = _VOCABULARY.phrases("oldest")
_OVERDUE = _VOCABULARY.phrases("overdue_one")
_OF_MONTH = _VOCABULARY.phrases("of_month")
_OF_DAY = _VOCABULARY.phrases("of_day")
_FURTHER = _VOCABULARY.phrases("further")
_FILING = Vocabulary("books").phrases("filing")
_COMMON = Vocabulary("common")
_FOREIGN_MONEY = _COMMON.phrases("foreign_money")
_CORRECTIONS = _COMMON.phrases("corrections")
_EUROS = _COMMON.phrases("euros")
_PREREQUISITES = _COMMON.phrases("prerequisites")
_MOST_AHEAD = timedelta(days=60)
_BEFORE_ANOTHER_DAY = frozenset({"de", "del", "of", "vence", "vencia", "due"})
"""Words before a day that tells which invoice is meant."""

_AMOUNTS = Vocabulary("amounts")
_NO_NUMBER_AFTER = _AMOUNTS.words("no_number_after")
_OF_AN_INVOICE = _AMOUNTS.words("of_an_invoice")
_SENDING = _VOCABULARY.phrases("sending")
_MOST_SENT = 20
"""Number up to which that in `send Acme 5` is an invoice's."""

_LEAST_NO_NUMBER = 10_000
"""Number from which on a bare one is an amount."""


def amounts_in(message: ChatMessage) -> list[Decimal]:
    """Return the amounts of money of a message, without names, days, rates and numbers of invoices."""
    return [amount.value for amount in message.money]


def other_amounts(message: ChatMessage, reference: InvoiceRef | None) -> list[Decimal]:
    """Return the amounts of a message beside a bare number that means an invoice."""
    number = None if reference is None else reference.number
    return [amount for amount in amounts_in(message) if str(amount) != number]


def is_foreign_money(message: ChatMessage) -> bool:
    """Return True for money of another country, unless the message says euros as well."""
    return message.says(_FOREIGN_MONEY) and not message.says(_EUROS)


def is_corrected(message: ChatMessage) -> bool:
    """Return True where somebody corrects themselves, and not only says the same amount again."""
    amounts = message.money
    for span in message.spans(_CORRECTIONS):
        if span.start <= message.start:
            continue
        before = [amount.value for amount in amounts if amount.end <= span.start]
        after = [amount.value for amount in amounts if amount.start >= span.end - 1]
        is_first = not before and any(span.start < amount.start < span.end for amount in amounts)
        if is_first:
            continue
        if not before or not after or before[-1] != after[0]:
            return True
    return False


def days_of(message: ChatMessage) -> Iterator[Day]:
    """Yield the days of a message that do not tell which invoice is meant."""
    passed = {place for span in message.spans(_OF_MONTH) for place in range(span.start, span.end)}
    issue = _issue_day(message)
    if issue is not None:
        passed |= set(range(issue.start - 1, issue.end))
    place = 0
    while place < len(message.words):
        is_passed = place in passed or place in message.named
        day = None if is_passed else day_at(message.words, place, message.language)
        if day is not None:
            yield day
        place = place + 1 if day is None else day.end


def some_day(message: ChatMessage, today: date, direction: Direction) -> date | None:
    """Return the first exact day of a message that lies ahead or behind, today included."""
    for day in days_of(message):
        if day.is_vague:
            continue
        on = day.on(today, direction)
        if on is not None and (on - today).days * direction.value >= 0:
            return on
    return None


def is_postponed(message: ChatMessage, today: date) -> bool:
    """Return True where something is not to be done now, but on a later day or when something else has happened."""
    return message.says(_PREREQUISITES) or any(
        (on := day.on(today, Direction.AHEAD)) is not None
        and timedelta(0) < on - today < _MOST_AHEAD
        and message.line[max(0, day.start - 1)] not in _BEFORE_ANOTHER_DAY
        for day in days_of(message)
    )


def invoice_ref(message: ChatMessage, today: date, *, with_amounts: bool = True) -> InvoiceRef | None:
    """Return the invoice that a message refers to; None where it refers to none."""
    numbers = message.invoice_numbers
    if numbers:
        return InvoiceRef(number=numbers[0].number, client=message.client)
    bare = _bare_number(message)
    if bare is not None:
        return InvoiceRef(number=bare, client=message.client)
    amounts = amounts_in(message) if with_amounts else []
    issue = _issue_day(message)
    reference = InvoiceRef(
        client=message.client,
        amount=amounts[0] if amounts else None,
        month=None if issue else _month(message),
        issue_date=None if issue is None else issue.on(today, Direction.BEHIND),
        is_last=message.says(_LAST),
        is_oldest=message.says(_OLDEST),
        is_draft=message.says(_DRAFT),
        is_overdue=message.says(_OVERDUE),
    )
    is_nothing = reference in (InvoiceRef(), InvoiceRef(is_overdue=True))
    return None if is_nothing else reference


def _bare_number(message: ChatMessage) -> str | None:
    """Return the only number of a message that names nobody or sends something: `3 pagada`, `send Acme 5`."""
    money = message.money
    if len(money) != 1 or money[0].has_currency or money[0].is_spelt:
        return None
    if message.mentions and (message.begins(_SENDING) is None or money[0].value > _MOST_SENT):
        return None
    before = [message.line[place] if place >= 0 else "" for place in (money[0].start - 1, money[0].start - 2)]
    is_apart = before[0] not in _NO_NUMBER_AFTER or before[1] in _OF_AN_INVOICE
    is_small = money[0].value == int(money[0].value) and money[0].value < _LEAST_NO_NUMBER
    return str(int(money[0].value)) if is_apart and is_small and not message.says(_FILING) else None


def _month(message: ChatMessage) -> int | None:
    """Return the month in `la factura de enero` and `the January one`."""
    for span in message.spans(_OF_MONTH):
        for place in range(span.start, span.end):
            if message.line[place] in MONTHS:
                return MONTHS[message.line[place]]
    return None


def _issue_day(message: ChatMessage) -> Day | None:
    """Return the day in `la del 5 de marzo` and `the invoice sent on March 5`."""
    for span in message.spans(_OF_DAY):
        for start in (span.end, span.end - 1):
            day = day_at(message.words, start, message.language) if start > span.start else None
            if day is not None:
                return day
    return None


def are_several_invoices(message: ChatMessage) -> bool:
    """Return True where more than one invoice is meant: two numbers, two clients, or a word for both."""
    numbers = {number.number.rpartition("-")[2].lstrip("0") for number in message.invoice_numbers}
    clients = {mention.named[0].name for mention in message.mentions if len(mention.named) == 1}
    return len(numbers) > 1 or len(clients) > 1 or message.says(_FURTHER)


def unclear_client(message: ChatMessage) -> Ask | None:
    """Return the question which client is meant, where the only name is that of several."""
    if message.client is not None:
        return None
    for mention in message.mentions:
        if len(mention.named) > 1:
            return Ask(lack=RequestLack.WHICH_CLIENT, candidates=mention.named, said=message.said(mention))
    return None
