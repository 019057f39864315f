"""Acts of deleting a record."""

from collections.abc import Callable, Sequence

from ledgerkit.core.platform.request.acts import Act, Fact, Rehearsed, Stored, Summary, short
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import MessageId, text


def deletion(
    kind: MessageId,
    before: Stored | None,
    facts: Callable[[Rehearsed], Sequence[Fact]] = lambda _rehearsed: (),
    *,
    afterwards: MessageId,
    effect: MessageId = AskMsg.DELETE,
) -> Act:
    """Return the act of deleting a record of this kind, which `before` reads. Its files do not come back."""

    async def summary(rehearsed: Rehearsed) -> Summary:
        record = rehearsed.before
        names = (str(record[key]) for key in ("number", "name", "description") if record.get(key))
        name = next(names, rehearsed.label(record))
        has_files = any("files" in entry.changes for entry in rehearsed.entries)
        ending = AskMsg.FINAL if has_files else afterwards
        return Summary(text(effect, kind=kind, name=short(name)), facts(rehearsed), ending)

    return Act(summary=summary, risk=None, before=before)
