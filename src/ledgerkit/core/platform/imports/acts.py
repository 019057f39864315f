"""Imports as acts, with the summaries that a person agrees to."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledgerkit.core.platform.request.acts import Act, Fact, Money, Rehearsed, Several, Summary, sentence
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import MessageId, text

_NAMES = ("number", "name", "invoiceNumber", "nombre", "numero", "número", "concepto", "description")
"""Fields of a row with its name, as files call them."""


def counts(label: MessageId, count: object, answer: Mapping[str, Any], rehearsed: Rehearsed) -> list[Fact]:
    """Return how many records an import makes, the first of them, and what it leaves out."""
    names = [name for name in map(_name, rehearsed.data.rows) if name]
    names = list(dict.fromkeys(names))
    refused = answer.get("errors") or []
    return [
        (label, count),
        (AskMsg.FIRST_NAMES, Several(names) if names else None),
        (AskMsg.REFUSED_ROWS, len(refused) or None),
        *_doubts(answer.get("warnings") or []),
    ]


def of_documents(effect: MessageId, afterwards: MessageId) -> Act:
    """Return the act of importing documents of this kind, which nobody is asked about."""

    async def summary(rehearsed: Rehearsed) -> Summary:
        answer = rehearsed.answer
        facts = counts(AskMsg.DOCUMENTS, answer.get("documents"), answer, rehearsed)
        total = answer.get("total")
        facts.insert(1, (AskMsg.TOTAL, None if total is None else Money(total, rehearsed.currency)))
        return Summary(text(effect), facts, afterwards)

    return Act(summary=summary, risk=None, asked_if=None)


def _name(row: object) -> str:
    by_name = {str(key).strip(): value for key, value in row.items()} if isinstance(row, Mapping) else {}
    return str(next((by_name[key] for key in _NAMES if by_name.get(key)), ""))


def _doubts(warnings: Sequence[object]) -> list[Fact]:
    return [(AskMsg.DOUBT, sentence(warning)) for warning in warnings[:3]]
