"""What a person is told of an act on the catalogue before they agree."""

from ledgerkit.core.platform.request.acts import deletion
from ledgerkit.core.platform.request.texts import AskMsg

DEACTIVATION = deletion(AskMsg.KIND_CATALOG_ITEM, None, effect=AskMsg.DEACTIVATE, afterwards=AskMsg.AFTER_DEACTIVATING)
