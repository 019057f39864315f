"""Acts on a vendor, with the summaries that a person agrees to."""

from ledgerkit.core.platform.documents.document_facts import named
from ledgerkit.core.platform.request.acts import Act, Fact, Rehearsed, Risk, Stored, Summary
from ledgerkit.core.platform.request.deletions import deletion
from ledgerkit.core.platform.request.field_facts import changes, given
from ledgerkit.core.platform.request.texts import AskMsg
from ledgerkit.texts import text

_BY_ID = Stored("vendors.get", "vendor_id")


def _is_of_account_number(rehearsed: Rehearsed) -> bool:
    """Return True if the vendor's bank account would be another one."""
    return (rehearsed.answer.get("iban") or None) != (rehearsed.before.get("iban") or None)


async def _saving(rehearsed: Rehearsed) -> Summary:
    before, after = rehearsed.before, rehearsed.answer
    effect = text(AskMsg.CHANGE_VENDOR if before else AskMsg.NEW_VENDOR, name=named(before or after))
    afterwards = AskMsg.AFTER_CHANGE if before else AskMsg.AFTER_CREATION
    accounts: list[Fact] = []
    if _is_of_account_number(rehearsed):
        afterwards = AskMsg.AFTER_VENDOR_IBAN
        accounts = [(AskMsg.OLD_IBAN, before.get("iban")), (AskMsg.NEW_IBAN, after.get("iban") or AskMsg.NO_IBAN)]
        before, after = {**before, "iban": None}, {**after, "iban": None}
    if not before.get("id"):
        return Summary(effect, [*accounts, *given(after, rehearsed.sent - {"name"}, rehearsed.currency)], afterwards)
    others = changes(before, after, rehearsed.currency)
    return Summary(
        effect, accounts + [fact for fact in others if not accounts or fact[0] != AskMsg.ATTENTION], afterwards
    )


CREATION = Act(summary=_saving, risk=Risk.MONEY, asked_if=_is_of_account_number)
CHANGE = Act(summary=_saving, risk=Risk.MONEY, asked_if=_is_of_account_number, before=_BY_ID)
DELETION = deletion(
    AskMsg.KIND_VENDOR,
    _BY_ID,
    lambda rehearsed: [(AskMsg.TAX_ID, rehearsed.before.get("taxId"))],
    afterwards=AskMsg.FINAL,
)
