"""Acts on a client, with the summaries that a person agrees to."""

from ledgerkit.core.platform.request.acts import Stored, deletion
from ledgerkit.core.platform.request.texts import AskMsg

DELETION = deletion(
    AskMsg.KIND_CLIENT,
    Stored("clients.get", "client_id"),
    lambda rehearsed: [(AskMsg.TAX_ID, rehearsed.before.get("taxId"))],
)
