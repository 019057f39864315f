"""What a person is told of an act on a task before they agree."""

from ledgerkit.core.platform.request.acts import deletion
from ledgerkit.core.platform.request.texts import AskMsg

DELETION = deletion(AskMsg.KIND_TASK, None)
