"""What a person is told of an act on the notes about the business before they agree."""

from ledgerkit.core.platform.request.acts import deletion
from ledgerkit.core.platform.request.texts import AskMsg

DELETION = deletion(AskMsg.KIND_CONTEXT_ENTRY, None)
