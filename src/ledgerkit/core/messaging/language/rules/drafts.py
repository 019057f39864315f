"""New invoices."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ledgerkit.core.messaging.language.drafting.lines import lines_of
from ledgerkit.core.messaging.language.drafting.reading import DraftReading
from ledgerkit.core.messaging.language.drafting.recipients import RecipientChoice
from ledgerkit.core.messaging.language.drafting.taxes import DraftTaxes, taxes_of
from ledgerkit.core.messaging.language.drafting.terms import (
    DueTerm,
    due_of,
    has_loose_day,
    issue_of,
    issued_on,
    loose_day,
)
from ledgerkit.core.messaging.language.mentioned import amounts_in, is_corrected, is_foreign_money
from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.names import Named
from ledgerkit.core.messaging.language.patterns import Span
from ledgerkit.core.messaging.language.requests import Ask, DraftInvoice, Request, RequestedLine, RequestLack
from ledgerkit.core.messaging.language.speaker import Speaker
from ledgerkit.core.messaging.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("drafts")
_WANTED = _VOCABULARY.phrases("wanted")
_VERB = _VOCABULARY.phrases("verb")
_MAKING_ONE = _VOCABULARY.phrases("making_one")
_PLURAL = _VOCABULARY.phrases("plural")
_QUESTIONS = [Vocabulary("books").phrases(name) for name in ("overdue", "receivables", "payables")]
_COMMAND = _VOCABULARY.phrases("command")
_TO_BE_MADE = _VOCABULARY.phrases("to_be_made")
_SENT_COMMAND = _VOCABULARY.phrases("sent_command")
_UNCLEAR = _VOCABULARY.phrases("unclear")
_POLITE = _VOCABULARY.phrases("polite")
_ADDRESSES = _VOCABULARY.phrases("addresses")
_STATEMENTS = _VOCABULARY.phrases("statements")
_DEFINITE = frozenset({"la", "the", "esa", "esta", "that", "this", "numero", "number", "nº"})
_CONDITIONS = _VOCABULARY.phrases("conditions")
_FURTHER_ACT = _VOCABULARY.phrases("further_act")
_LIKE_ANOTHER = _VOCABULARY.phrases("like_another")
_OTHER_WAYS = Vocabulary("invoices").phrases("other_ways")
_PREREQUISITES = Vocabulary("common").phrases("prerequisites")
_DOUBTS = _VOCABULARY.phrases("doubts")
_LEAST_PRICE = 10
_MOST_DAYS_AHEAD = 200
"""Days until an invoice is due; a day that has passed is read as one of the next year."""


@dataclass(frozen=True, kw_only=True)
class _Parts:
    """Parts of an invoice as they were said."""

    client: Named | Ask | None
    lines: list[RequestedLine]
    taxes: DraftTaxes
    due: DueTerm
    issued: DueTerm
    issue: bool
    is_doubtful: bool


def draft(message: ChatMessage, speaker: Speaker) -> Request | None:
    """Return the invoice that a message wants, or what is lacking; None where it wants none."""
    is_wanted = message.says(_WANTED)
    asks = message.is_question and not _is_command(message)
    if asks or not (is_wanted or message.mentions) or message.begins(_CONDITIONS):
        return None
    parts = _parts(message, speaker.today)
    is_address = not is_wanted and message.says(_ADDRESSES)
    if is_address or (not parts.lines and not (is_wanted and _is_wished(message))):
        return None
    is_odd = not is_wanted and (message.says(_STATEMENTS) or _is_bare_number(message, parts.lines))
    if is_odd or _names_invoice(message):
        return Ask(lack=RequestLack.AMBIGUOUS)
    if parts.client is None or isinstance(parts.client, Ask):
        return parts.client or Ask(lack=RequestLack.CLIENT_MISSING)
    if message.says(_LIKE_ANOTHER):
        return Ask(lack=RequestLack.AMBIGUOUS)
    return _invoice(parts.client, parts, speaker.today) if parts.lines else Ask(lack=RequestLack.AMOUNT)


def _is_bare_number(message: ChatMessage, lines: Sequence[RequestedLine]) -> bool:
    """Return True for `Acme 5`, which may be the number of an invoice."""
    is_bare = len(lines) == 1 and not lines[0].description and not any(each.has_currency for each in message.money)
    return is_bare and lines[0].quantity == 1 and lines[0].unit_price < _LEAST_PRICE


def _names_invoice(message: ChatMessage) -> bool:
    """Return True where an invoice that stands is named by its number: `la factura 5`."""
    return any(
        message.line[max(0, number.start - 1)] in _DEFINITE or message.line[number.start] in _DEFINITE
        for number in message.invoice_numbers
    )


def _is_command(message: ChatMessage) -> bool:
    """Return True for a command that only ends like a question: `hazme una factura de 500, vale?`."""
    if message.asks_at_once:
        return False
    return bool(message.begins(_VERB) or (message.begins(_WANTED) and message.mentions and amounts_in(message)))


def _is_wished(message: ChatMessage) -> bool:
    """Return True where a message without amounts wants an invoice, and does not ask about those that stand."""
    is_wish = (
        message.begins(_WANTED) or message.begins(_COMMAND) or message.says(_MAKING_ONE) or message.says(_LIKE_ANOTHER)
    )
    is_about_others = any(message.says(phrases) for phrases in _QUESTIONS) or message.says(_PLURAL)
    return bool(is_wish) and not is_about_others


def _parts(message: ChatMessage, today: date) -> _Parts:
    reading = DraftReading(message, today)
    sends = message.says(_SENT_COMMAND)
    taxes = taxes_of(reading)
    is_unclear = any(True for _ in reading.spans(_UNCLEAR))
    due = due_of(reading)
    issued = issued_on(reading)
    recipient = RecipientChoice(reading)
    client = recipient.client()
    _take_command(reading)
    issue, is_refused = issue_of(reading)
    reading.takes(_WANTED)
    reading.takes(_TO_BE_MADE)
    if issued.day is None:
        issued = DueTerm(day=loose_day(reading), is_unclear=issued.is_unclear)
    reading.takes(_POLITE)
    is_unclear = is_unclear or has_loose_day(reading) or any(True for _ in reading.spans(_PREREQUISITES))
    lines, is_doubtful = lines_of(message.text, message.words, reading.free, message.language)
    says_doubt = (
        is_corrected(message)
        or (issue and message.says(_OTHER_WAYS))
        or message.says(_DOUBTS)
        or message.says(_FURTHER_ACT)
        or is_foreign_money(message)
    )
    return _Parts(
        client=client,
        lines=lines,
        taxes=taxes,
        due=due,
        issued=issued,
        issue=(issue or sends) and not is_refused,
        is_doubtful=is_doubtful or is_unclear or says_doubt or recipient.are_several,
    )


def _take_command(reading: DraftReading) -> None:
    """Take the words of the command with which the message begins."""
    place = reading.message.start
    while (end := _COMMAND.end_at(reading.message.line, place)) is not None:
        reading.take(Span(place, end))
        place = end


def _invoice(client: Named, parts: _Parts, today: date) -> DraftInvoice | Ask:
    taxes = parts.taxes
    is_abroad: bool | None = getattr(client, "is_foreign", None)
    is_unclear = parts.is_doubtful or taxes.is_unclear or parts.due.is_unclear or parts.issued.is_unclear
    is_odd = any(line.unit_price == 0 or line.quantity == 0 for line in parts.lines)
    if is_unclear or is_odd or _is_far(parts.due.day, today) or _is_taxed_unclearly(taxes, is_abroad):
        return Ask(lack=RequestLack.AMBIGUOUS)
    is_untaxed = taxes.is_without_vat or taxes.is_exempt or (taxes.is_net_without_vat and is_abroad is True)
    return DraftInvoice(
        client=client,
        lines=parts.lines,
        vat_rate=Decimal(0) if is_untaxed and is_abroad else taxes.vat_rate,
        vat_included=taxes.vat_included,
        without_vat=is_untaxed,
        retention_rate=taxes.retention_rate,
        issue_date=parts.issued.day,
        due_date=parts.due.day,
        due_days=parts.due.days,
        issue=parts.issue,
    )


def _is_taxed_unclearly(taxes: DraftTaxes, is_abroad: bool | None) -> bool:
    """Return True for an invoice without VAT to a client within the country, and an exempt one unless to one abroad."""
    return (taxes.is_without_vat and is_abroad is False) or (taxes.is_exempt and is_abroad is not True)


def _is_far(due: date | None, today: date) -> bool:
    return due is not None and not -1 < (due - today).days < _MOST_DAYS_AHEAD
