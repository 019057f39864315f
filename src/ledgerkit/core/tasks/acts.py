"""Acts on a task, with the summaries that a person agrees to."""

from ledgerkit.core.platform.request.acts import deletion
from ledgerkit.core.platform.request.texts import AskMsg

DELETION = deletion(AskMsg.KIND_TASK, None)
