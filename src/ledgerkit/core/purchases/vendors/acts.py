"""Acts on a vendor, with the summaries that a person agrees to."""

from ledgerkit.core.platform.documents.document_facts import named
from ledgerkit.core.platform.request.acts import Act, Rehearsed, Risk, Stored, Summary, deletion
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import text

_BY_ID = Stored("vendors.get", "vendor_id")


def _is_of_account_number(rehearsed: Rehearsed) -> bool:
    """Return True if the vendor's bank account would be another one."""
    return (rehearsed.answer.get("iban") or None) != (rehearsed.before.get("iban") or None)


async def _saving(rehearsed: Rehearsed) -> Summary:
    before, after = rehearsed.before, rehearsed.answer
    effect = AskMsg.CHANGE_VENDOR if before else AskMsg.NEW_VENDOR
    if not _is_of_account_number(rehearsed):
        return Summary(text(effect, name=named(after)), (), None)
    facts = [(AskMsg.OLD_IBAN, before.get("iban")), (AskMsg.NEW_IBAN, after.get("iban") or AskMsg.NO_IBAN)]
    return Summary(text(effect, name=named(after)), facts, AskMsg.AFTER_VENDOR_IBAN)


CREATION = Act(summary=_saving, risk=Risk.MONEY, asked_if=_is_of_account_number)
CHANGE = Act(summary=_saving, risk=Risk.MONEY, asked_if=_is_of_account_number, before=_BY_ID)
DELETION = deletion(AskMsg.KIND_VENDOR, _BY_ID)
