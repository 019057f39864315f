"""Acts on the catalogue, with the summaries that a person agrees to."""

from ledgerkit.core.platform.request.acts import deletion
from ledgerkit.core.platform.request.texts import AskMsg

DEACTIVATION = deletion(AskMsg.KIND_CATALOG_ITEM, None, effect=AskMsg.DEACTIVATE, afterwards=AskMsg.AFTER_DEACTIVATING)
