"""Questions about the books: what is owed, taxes, results, clients, the day."""

from collections.abc import Callable, Sequence

from ledgerkit.core.messaging.language import periods
from ledgerkit.core.messaging.language.mentioned import amounts_in, unclear_client
from ledgerkit.core.messaging.language.message import ChatMessage
from ledgerkit.core.messaging.language.requests import Question, Request, Topic
from ledgerkit.core.messaging.language.rules.tasks import duty_of, says_tax_duty
from ledgerkit.core.messaging.language.speaker import Speaker
from ledgerkit.core.messaging.language.vocabulary import Vocabulary

_VOCABULARY = Vocabulary("books")
_RECEIVABLES = _VOCABULARY.phrases("receivables")
_OVERDUE = _VOCABULARY.phrases("overdue")
_PAYABLES = _VOCABULARY.phrases("payables")
_OWED_TO_ME = _VOCABULARY.phrases("owed_to_me")
_I_OWE = _VOCABULARY.phrases("i_owe")
_TAXES = _VOCABULARY.phrases("taxes")
_FILING = _VOCABULARY.phrases("filing")
_HOW_MUCH = _VOCABULARY.phrases("how_much")
_VAT = _VOCABULARY.phrases("vat")
_SUPPLIERS_OR_OVERDUE = _VOCABULARY.phrases("suppliers_or_overdue")
_RESULTS = _VOCABULARY.phrases("results")
_CLIENT_FACT = _VOCABULARY.phrases("client_fact")
_CLIENT_SEARCH = _VOCABULARY.phrases("client_search")
_DAY = _VOCABULARY.phrases("day")
_DIGEST = Vocabulary("chat").phrases("digest")
_FEW_WORDS = 9
_MOST_WORDS_BESIDE_A_NAME = 2
"""An article and a sign."""


def books(message: ChatMessage, speaker: Speaker) -> Request | None:
    """Answer a question about money, taxes, clients or the day; the first topic that fits."""
    return next((answer for topic in _TOPICS if (answer := topic(message, speaker)) is not None), None)


def _vat(message: ChatMessage, speaker: Speaker) -> Request | None:
    if not message.says(_VAT) or message.mentions or amounts_in(message) or message.says(_SUPPLIERS_OR_OVERDUE):
        return None
    if message.says(_FILING) and not message.says(_HOW_MUCH):
        return None
    first, last = periods.quarter(message, speaker.today)
    return Question(topic=Topic.VAT, first=first, last=last)


def _overdue(message: ChatMessage, _: Speaker) -> Request | None:
    if not message.says(_OVERDUE):
        return None
    return unclear_client(message) or Question(topic=Topic.OVERDUE, client=message.client)


def _payables(message: ChatMessage, _: Speaker) -> Request | None:
    is_of_client = bool(message.mentions) and not message.says(_I_OWE)
    is_other = is_of_client or message.says(_OWED_TO_ME) or message.says(_TAXES)
    return Question(topic=Topic.PAYABLES) if message.says(_PAYABLES) and not is_other else None


def _receivables(message: ChatMessage, _: Speaker) -> Request | None:
    if not message.says(_RECEIVABLES):
        return None
    return unclear_client(message) or Question(topic=Topic.RECEIVABLES, client=message.client)


def _filing(message: ChatMessage, _: Speaker) -> Request | None:
    duty = duty_of(message)
    is_other_duty = duty is not None and not message.is_question and not says_tax_duty(message, duty)
    is_filing = message.says(_FILING) and not message.says(_HOW_MUCH) and not is_other_duty
    return Question(topic=Topic.FILING) if is_filing else None


def _client_fact(message: ChatMessage, _: Speaker) -> Request | None:
    if not message.mentions or not message.says(_CLIENT_FACT) or amounts_in(message):
        return None
    return unclear_client(message) or Question(topic=Topic.CLIENT, client=message.client)


def _results(message: ChatMessage, speaker: Speaker) -> Request | None:
    if not message.says(_RESULTS) or message.mentions or amounts_in(message):
        return None
    first, last = periods.period(message, speaker.today)
    return Question(topic=Topic.RESULTS, first=first, last=last)


def _day(message: ChatMessage, _: Speaker) -> Request | None:
    is_day = message.line in (["hoy"], ["today"]) or message.says(_DAY) or message.says(_DIGEST)
    return Question(topic=Topic.DIGEST) if is_day else None


_TOPICS: Sequence[Callable[[ChatMessage, Speaker], Request | None]] = (
    _vat,
    _overdue,
    _payables,
    _receivables,
    _filing,
    _client_fact,
    _results,
    _day,
)


def client_alone(message: ChatMessage, _: Speaker) -> Request | None:
    """Show a client whose name is all that was said, or who is looked for."""
    if not message.mentions or amounts_in(message):
        return None
    others = len(message.words) - len(message.named)
    is_about_client = message.says(_CLIENT_SEARCH) or (message.is_question and len(message.line) <= _FEW_WORDS)
    if others > _MOST_WORDS_BESIDE_A_NAME and not is_about_client:
        return None
    return unclear_client(message) or Question(topic=Topic.CLIENT, client=message.client)
