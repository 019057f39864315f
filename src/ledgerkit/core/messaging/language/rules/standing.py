"""Invoices that stand: their state, their file, sending them."""

from ledgerkit.core.messaging.language.mentioned import are_several_invoices, invoice_ref, other_amounts, unclear_client
from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.patterns import INNER, NAME
from ledgerkit.core.messaging.language.requests import (
    Ask,
    InvoiceRef,
    Question,
    Refused,
    Request,
    RequestLack,
    RequestRefusal,
    SendInvoice,
    Topic,
)
from ledgerkit.core.messaging.language.speaker import Speaker
from ledgerkit.core.messaging.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("invoices")
_INVOICE = _VOCABULARY.phrases("invoice")
_PLURAL = Vocabulary("drafts").phrases("plural")
_STATE_OF_IT = _VOCABULARY.phrases("state_of_it")
_LAST = _VOCABULARY.phrases("last")
_BESIDE_A_NAME = Vocabulary("common").words("invoice") | _VOCABULARY.words("beside_a_name") | {NAME, INNER}
_OPEN_STATE = _VOCABULARY.phrases("open_state")
_STATE = _VOCABULARY.phrases("state")
_PDF = _VOCABULARY.phrases("pdf")
_SEND = _VOCABULARY.phrases("send")
_SEND_IT = _VOCABULARY.phrases("send_it")
_SEND_AGAIN = _VOCABULARY.phrases("send_again")
_LIKE_ANOTHER = Vocabulary("drafts").phrases("like_another")
_OTHER_WAYS = _VOCABULARY.phrases("other_ways")
_NEW_ONE = _VOCABULARY.phrases("new_one")
_FURTHER_WISH = _VOCABULARY.phrases("further_wish")
_BOOKS = Vocabulary("books")
_OVERDUE = _BOOKS.phrases("overdue")
_RECEIVABLES = _BOOKS.phrases("receivables")
_CLIENT_FACT = _BOOKS.phrases("client_fact")
_FILE = "pdf"
_FEW_WORDS = 3
_FEW_DIGITS = 2
"""Digits up to which `factura 4` names an invoice, and no amount."""


def standing(message: ChatMessage, speaker: Speaker) -> Request | None:
    """Look at or send an invoice that stands."""
    reference = invoice_ref(message, speaker.today, with_amounts=False)
    names_invoice = message.says(_INVOICE)
    if reference is None and not names_invoice:
        return Ask(lack=RequestLack.WHICH_INVOICE) if _is_about_one(message) else None
    if message.is_question and names_invoice and not message.says(_PLURAL) and message.says(_OPEN_STATE):
        return _about(message, reference, Topic.INVOICE_STATE)
    number = None if reference is None else reference.number
    sends = message.says(_SEND)
    if number is None and not sends and (message.says(_OVERDUE) or message.says(_RECEIVABLES)):
        return None
    has_amounts = bool(other_amounts(message, reference))
    topic = None if has_amounts else _topic(message, reference, sends=sends)
    if topic is not None:
        return _about(message, reference, topic)
    asks_for_fact = message.says(_CLIENT_FACT) and not names_invoice and number is None
    asks_for_fact = asks_for_fact and (message.is_question or len(message.line) <= _FEW_WORDS)
    return _sent(message, speaker, has_amounts=has_amounts) if sends and not asks_for_fact else None


def _is_about_one(message: ChatMessage) -> bool:
    """Return True for `la ha visto?`, `pdf` and `reenvía`, which do not say what they are about."""
    is_short = len(message.line) <= _FEW_WORDS and not message.mentions
    is_command = is_short and (message.says(_SEND_AGAIN) or _FILE in message.line)
    return is_command or (message.is_question and message.says(_STATE_OF_IT))


def _topic(message: ChatMessage, reference: InvoiceRef | None, *, sends: bool) -> Topic | None:
    """Return whether the file of an invoice is wanted, or its state; None where neither is."""
    is_one = reference is not None and bool(
        reference.number or reference.is_last or reference.is_oldest or reference.is_draft
    )
    asks = message.is_question
    says_state = message.says(_STATE)
    if message.says(_PDF) and not (says_state and asks and _FILE not in message.line):
        is_file = is_one or (message.says(_INVOICE) and not message.says(_PLURAL)) or _FILE in message.line
        return Topic.INVOICE_PDF if is_file else None
    if says_state and (asks or not sends):
        return Topic.INVOICE_STATE
    if sends:
        return None
    if asks and is_one:
        return Topic.INVOICE_STATE
    return Topic.INVOICE_PDF if _is_number_only(message, reference) else None


def _is_number_only(message: ChatMessage, reference: InvoiceRef | None) -> bool:
    """Return True for `factura 4` and `última factura de Acme`."""
    last = {place for span in message.spans(_LAST) for place in range(span.start, span.end)}
    if last and all(place in last or word in _BESIDE_A_NAME for place, word in enumerate(message.line)):
        return True
    number = None if reference is None else reference.number
    is_short = number is not None and len(number) <= _FEW_DIGITS and len(message.line) <= _FEW_WORDS
    return is_short and message.begins(_INVOICE) is not None


def _about(message: ChatMessage, reference: InvoiceRef | None, topic: Topic) -> Request:
    if reference is None:
        return unclear_client(message) or Ask(lack=RequestLack.WHICH_INVOICE)
    unclear = None if reference.number else unclear_client(message)
    return unclear or Question(topic=topic, client=reference.client, invoice=reference)


def _sent(message: ChatMessage, speaker: Speaker, *, has_amounts: bool) -> Request | None:
    """Return the wish to send an invoice; one of an amount stands already only where it is sent again."""
    reference = invoice_ref(message, speaker.today)
    if (has_amounts and not message.says(_SEND_AGAIN)) or _is_of_another(message, reference):
        return None
    if message.says(_OTHER_WAYS):
        return Refused(refusal=RequestRefusal.NOT_HERE)
    if reference is None:
        return unclear_client(message) or Ask(lack=RequestLack.WHICH_INVOICE)
    if are_several_invoices(message) or message.says(_FURTHER_WISH) or message.says(_LIKE_ANOTHER):
        return Ask(lack=RequestLack.AMBIGUOUS)
    return (None if reference.number else unclear_client(message)) or SendInvoice(invoice=reference)


def _is_of_another(message: ChatMessage, reference: InvoiceRef | None) -> bool:
    """Return True where something else of a client is sent, or an invoice that is still to be made."""
    is_new = message.says(_NEW_ONE) and (reference is None or reference.number is None)
    is_of_client = reference is not None and reference == InvoiceRef(client=reference.client)
    names_invoice = any(message.says(phrases) for phrases in (_INVOICE, _SEND_AGAIN, _SEND_IT, _LIKE_ANOTHER))
    return is_new or (is_of_client and not names_invoice)
