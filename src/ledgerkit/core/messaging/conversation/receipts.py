"""Receipts: what was read of a picture is proposed as an expense, of which single fields can be corrected."""

from collections.abc import Mapping
from decimal import Decimal

from ledgerkit import clock
from ledgerkit.core.messaging.conversation import cards
from ledgerkit.core.messaging.conversation.turn import ANSWERED_WITHIN, Turn, button
from ledgerkit.core.messaging.table import StoredCorrection
from ledgerkit.core.messaging.texts import ChatMsg
from ledgerkit.core.platform.api_types.json_answers import as_json
from ledgerkit.core.purchases.reading.api import ScannedReceipt

CORRECT = "c"
"""Verb of the button that asks for the correction of a field."""

_READ = (
    *("description", "amount", "date", "vendor", "vendorTaxId", "invoiceNumber", "category", "taxRate", "taxAmount"),
    *("retentionAmount", "paymentMethod", "currency", "receiptId"),
)
_NUMBERS = frozenset({"amount", "taxRate", "taxAmount", "retentionAmount"})
_NEEDED: Mapping[str, ChatMsg] = {
    "amount": ChatMsg.AMOUNT_NEEDED,
    "date": ChatMsg.DATE_NEEDED,
    "description": ChatMsg.DESCRIPTION_NEEDED,
}


def fields_of(receipt: ScannedReceipt) -> dict[str, str]:
    """Return the fields of the expense that a receipt was read as, in the request's JSON; without those not read."""
    read = as_json(receipt)
    fields = {name: str(read[name]) for name in _READ if read.get(name) is not None}
    if "description" not in fields and "vendor" in fields:
        fields["description"] = fields["vendor"]
    return {**fields, "source": "messaging"}


async def propose(turn: Turn, fields: Mapping[str, str]) -> None:
    """Propose an expense, or ask for the first field that is missing. Raises what recording raises."""
    for name, question in _NEEDED.items():
        if name not in fields:
            turn.change_state(correction=StoredCorrection(fields=dict(fields), until=clock.now() + ANSWERED_WITHIN))
            turn.say(turn.words(question), _known(turn, fields))
            return
    typed = {name: Decimal(value) if name in _NUMBERS else value for name, value in fields.items()}
    question_asked = await cards.ask(turn, "expenses.create", typed)
    correct = button(turn.words(ChatMsg.CORRECT_FIELD), CORRECT, question_asked.approval.id)
    turn.change_state(correction=None)
    cards.show(turn, question_asked, ChatMsg.SAVE, correct)


def _known(turn: Turn, fields: Mapping[str, str]) -> list[str]:
    labels = {
        "vendor": ChatMsg.FIELD_VENDOR,
        "description": ChatMsg.FIELD_DESCRIPTION,
        "amount": ChatMsg.FIELD_AMOUNT,
        "date": ChatMsg.FIELD_DATE,
    }
    return [turn.words(label, value=fields[name]) for name, label in labels.items() if name in fields]
