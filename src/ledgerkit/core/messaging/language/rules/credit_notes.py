"""Credit notes."""

from ledgerkit.core.messaging.language.mentioned import (
    are_several_invoices,
    invoice_ref,
    is_foreign_money,
    other_amounts,
    unclear_client,
)
from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.numbers import number_at
from ledgerkit.core.messaging.language.requests import Ask, CreditNote, InvoiceRef, Request, RequestLack
from ledgerkit.core.messaging.language.speaker import Speaker
from ledgerkit.core.messaging.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("invoices")
_CREDIT = _VOCABULARY.phrases("credit")
_CREDITED_ALREADY = _VOCABULARY.phrases("credited_already")
_CREDIT_OF_NUMBER = _VOCABULARY.phrases("credit_of_number")
_FURTHER_WISH = _VOCABULARY.phrases("further_wish")
_CURRENCY = _VOCABULARY.phrases("euros")
_RIGHT_AMOUNT = _VOCABULARY.phrases("right_amount")
_PARTS = Vocabulary("common").phrases("parts")
_PERCENT = Vocabulary("drafts").phrases("percent")
_MOST_OF_A_NUMBER = 9999


def credit(message: ChatMessage, speaker: Speaker) -> Request | None:
    if not message.says(_CREDIT) or message.says(_CREDITED_ALREADY):
        return None
    if message.says(_FURTHER_WISH) or is_foreign_money(message) or message.says(_PERCENT):
        return Ask(lack=RequestLack.AMBIGUOUS)
    reference = invoice_ref(message, speaker.today)
    number = _number_behind(message) if reference is None or reference.number is None else None
    amounts = other_amounts(message, reference)
    if number is not None:
        reference = InvoiceRef(number=str(number), client=message.client)
        amounts = [amount for amount in amounts if amount != number]
    if reference is None:
        return unclear_client(message) or Ask(lack=RequestLack.WHICH_INVOICE)
    if are_several_invoices(message) or len(set(amounts)) > 1:
        return Ask(lack=RequestLack.AMBIGUOUS)
    if message.says(_RIGHT_AMOUNT) or (message.says(_PARTS) and not amounts):
        return Ask(lack=RequestLack.AMBIGUOUS)
    unclear = None if reference.number else unclear_client(message)
    return unclear or CreditNote(invoice=reference, amount=amounts[0] if amounts else None)


def _number_behind(message: ChatMessage) -> int | None:
    """Return the number in `credit note for 5`, which is no amount."""
    for span in message.spans(_CREDIT_OF_NUMBER):
        number = number_at(message.words, span.end, message.language)
        if number is None or not number.is_whole or not 0 < number.value <= _MOST_OF_A_NUMBER:
            continue
        if _CURRENCY.end_at(message.line, number.end) is None:
            return int(number.value)
    return None
