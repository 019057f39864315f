"""Acts on a client, with the summaries that a person agrees to."""

from ledgerkit.core.platform.request.acts import Stored
from ledgerkit.core.platform.request.deletions import deletion
from ledgerkit.core.platform.request.field_facts import change, creation
from ledgerkit.core.platform.request.texts import AskMsg

_BY_ID = Stored("clients.get", "client_id")

CREATION = creation(AskMsg.KIND_CLIENT)
CHANGE = change(AskMsg.KIND_CLIENT, _BY_ID)
DELETION = deletion(
    AskMsg.KIND_CLIENT,
    _BY_ID,
    lambda rehearsed: [(AskMsg.TAX_ID, rehearsed.before.get("taxId"))],
    afterwards=AskMsg.AFTER_DELETING,
)
