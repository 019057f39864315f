"""Acts on a tax declaration, with the summaries that a person agrees to."""

from collections.abc import Mapping

from ledgerkit.core.platform.request.acts import Act, Fact, Money, Rehearsed, Summary, as_day, deletion
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import MessageId, text

_RESULTS: Mapping[str, MessageId] = {
    "pay": AskMsg.TO_PAY,
    "refund": AskMsg.TO_BE_REFUNDED,
    "compensate": AskMsg.TO_COMPENSATE,
    "none": AskMsg.RESULT,
}


async def _submission(rehearsed: Rehearsed) -> Summary:
    declared = rehearsed.answer
    result = (declared.get("totals") or {}).get("result")
    label = _RESULTS.get(str(declared.get("resultKind")), AskMsg.RESULT)
    is_running = any(warning["code"] == "period_running" for warning in declared.get("warnings", ()))
    facts: list[Fact] = [
        (AskMsg.PERIOD_FROM, as_day(declared.get("periodStart"))),
        (AskMsg.PERIOD_TO, as_day(declared.get("periodEnd"))),
        (label, None if result is None else Money(abs(result), rehearsed.currency)),
        (AskMsg.DEADLINE, as_day(declared.get("dueDate"))),
        (AskMsg.ATTENTION, AskMsg.PERIOD_RUNNING if is_running else None),
    ]
    return Summary(text(AskMsg.SUBMIT, form=declared.get("form", ""), period=_period(declared)), facts)


def _period(declared: Mapping[str, object]) -> str:
    return f"{declared.get('period', '')} {declared.get('year', '')}".strip()


SUBMISSION = Act(summary=_submission)
DELETION = deletion(AskMsg.KIND_TAX_DECLARATION, None)
