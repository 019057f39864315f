"""Acts on a tax declaration, with the summaries that a person agrees to."""

from collections.abc import Mapping

from ledgerkit.core.platform.request.acts import (
    Act,
    Changed,
    Fact,
    Json,
    Money,
    Rehearsed,
    Risk,
    Stored,
    Summary,
    as_day,
    sentence,
)
from ledgerkit.core.platform.request.deletions import deletion
from ledgerkit.core.platform.request.field_facts import changes
from ledgerkit.core.platform.request.texts import AskMsg, FieldMsg
from ledgerkit.texts import Day, MessageId, Text, text

_RESULTS: Mapping[str, MessageId] = {
    "pay": AskMsg.TO_PAY,
    "refund": AskMsg.TO_BE_REFUNDED,
    "compensate": AskMsg.TO_COMPENSATE,
    "none": AskMsg.RESULT,
}


_BY_ID = Stored("declarations.get", "declaration_id")
_MOST_BOXES = 8
"""Boxes that a summary shows at most."""
_MOST_WARNINGS = 3


def _facts(declared: Json, currency: str) -> list[Fact]:
    """Return the period of a declaration, its result and its last day, with a warning while the period runs."""
    is_running = any(warning["code"] == "period_running" for warning in declared.get("warnings", ()))
    last = as_day(declared.get("periodEnd"))
    return [
        (AskMsg.PERIOD_FROM, as_day(declared.get("periodStart"))),
        (AskMsg.PERIOD_TO, last),
        (_result_label(declared), _result(declared, currency)),
        (AskMsg.DEADLINE, as_day(declared.get("dueDate"))),
        (AskMsg.ATTENTION, text(AskMsg.PERIOD_RUNNING, last=Day(last)) if is_running and last else None),
    ]


def _result(declared: Json, currency: str) -> Money | None:
    result = (declared.get("totals") or {}).get("result")
    return None if result is None else Money(abs(result), currency)


def _result_label(declared: Json) -> MessageId:
    return _RESULTS.get(str(declared.get("resultKind")), AskMsg.RESULT)


def _doubts(declared: Json) -> list[Fact]:
    others = [each["message"] for each in declared.get("warnings", ()) if each["code"] != "period_running"]
    return [(AskMsg.DOUBT, sentence(message)) for message in others[:_MOST_WARNINGS]]


def _named(effect: MessageId, declared: Json) -> Text:
    return text(effect, form=declared.get("form", ""), period=_period(declared))


async def _submission(rehearsed: Rehearsed) -> Summary:
    declared = rehearsed.answer
    return Summary(_named(AskMsg.SUBMIT, declared), _facts(declared, rehearsed.currency))


async def _computation(rehearsed: Rehearsed) -> Summary:
    declared = rehearsed.answer
    facts = [*_facts(declared, rehearsed.currency), *_doubts(declared)]
    return Summary(_named(AskMsg.GENERATE, declared), facts, AskMsg.AFTER_COMPUTING)


def _is_of_account_number(rehearsed: Rehearsed) -> bool:
    """Return True if the account that the authority pays into, or takes from, would be another one."""
    return (rehearsed.answer.get("iban") or None) != (rehearsed.before.get("iban") or None)


async def _change(rehearsed: Rehearsed) -> Summary:
    before, after, currency = rehearsed.before, rehearsed.answer, rehearsed.currency
    facts: list[Fact] = []
    if _is_of_account_number(rehearsed):
        facts = [(AskMsg.OLD_IBAN, before.get("iban")), (AskMsg.NEW_IBAN, after.get("iban") or AskMsg.NO_IBAN)]
    facts += _boxes(before.get("manualOverrides") or {}, after.get("manualOverrides") or {})
    chosen = ("declarationType", "notes")
    if any(before.get(name) != after.get(name) for name in chosen):
        facts += changes(
            {name: before.get(name) for name in chosen}, {name: after.get(name) for name in chosen}, currency
        )
    facts.append((_result_label(after), Changed(_result(before, currency), _result(after, currency))))
    return Summary(_named(AskMsg.CHANGE_DECLARATION, after), [*facts, *_doubts(after)], AskMsg.AFTER_COMPUTING)


def _boxes(before: Json, after: Json) -> list[Fact]:
    """Return the boxes that are set by hand otherwise than before."""
    differing = [box for box in sorted({*before, *after}) if before.get(box) != after.get(box)]
    shown: list[Fact] = [
        (text(AskMsg.BOX, box=box), Changed(before.get(box), after.get(box))) for box in differing[:_MOST_BOXES]
    ]
    return [*shown, (AskMsg.OTHERS, max(len(differing) - _MOST_BOXES, 0) or None)]


async def _filed_elsewhere(rehearsed: Rehearsed) -> Summary:
    declared, sent = rehearsed.answer, rehearsed.data
    boxes = sorted(sent.boxes.items())
    facts: list[Fact] = [
        (AskMsg.SUBMITTED_ON, sent.submitted),
        *((text(AskMsg.BOX, box=box), value) for box, value in boxes[:_MOST_BOXES]),
        (AskMsg.OTHERS, max(len(boxes) - _MOST_BOXES, 0) or None),
        (FieldMsg.NOTES, sent.notes),
    ]
    return Summary(_named(AskMsg.RECORD_FILED, declared), facts, AskMsg.AFTER_CHANGE)


async def _acceptance(rehearsed: Rehearsed) -> Summary:
    drafted = rehearsed.before or rehearsed.answer
    proposals = rehearsed.before.get("proposals") or []
    accepted: Json = next((each for each in proposals if each["id"] == rehearsed.data.proposal_id), {})
    facts: list[Fact] = [
        (AskMsg.PROPOSAL, sentence(accepted["message"]) if accepted else None),
        *_facts(rehearsed.answer, rehearsed.currency),
    ]
    return Summary(_named(AskMsg.ACCEPT_PROPOSAL, drafted), facts, AskMsg.AFTER_COMPUTING)


async def _profile(rehearsed: Rehearsed) -> Summary:
    before, after = (record.get("fields") or {} for record in (rehearsed.before, rehearsed.answer))
    facts = changes(before, after, rehearsed.currency)
    return Summary(text(AskMsg.CHANGE_TAX_PROFILE), facts, AskMsg.AFTER_CHANGE)


def _period(declared: Mapping[str, object]) -> str:
    return f"{declared.get('period', '')} {declared.get('year', '')}".strip()


SUBMISSION = Act(summary=_submission)
COMPUTATION = Act(summary=_computation, risk=None, asked_if=None)
CHANGE = Act(summary=_change, risk=Risk.MONEY, asked_if=_is_of_account_number, before=_BY_ID)
FILED_ELSEWHERE = Act(summary=_filed_elsewhere, risk=None, asked_if=None)
ACCEPTANCE = Act(summary=_acceptance, risk=None, asked_if=None, before=_BY_ID)
PROFILE = Act(
    summary=_profile, risk=None, asked_if=None, before=Stored("declarations.tax_profile.read_profile", "country")
)
DELETION = deletion(AskMsg.KIND_TAX_DECLARATION, None, afterwards=AskMsg.FINAL)
