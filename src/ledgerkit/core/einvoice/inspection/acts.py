"""Act of continuing the chain of other software, with the summary that a person agrees to."""

from ledgerkit.core.platform.request.acts import Act, Fact, Rehearsed, Summary
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import text


async def _continuation(rehearsed: Rehearsed) -> Summary:
    last = rehearsed.data
    facts: list[Fact] = [
        (AskMsg.LAST_NUMBER, last.last_number),
        (AskMsg.LAST_DAY, last.last_issue_date),
        (AskMsg.REPORTED, last.reported),
    ]
    return Summary(text(AskMsg.CONTINUE_CHAIN), facts, AskMsg.FINAL_CHAIN)


CONTINUATION = Act(summary=_continuation)
