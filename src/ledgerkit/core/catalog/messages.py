"""Ids of the messages about catalog; their texts stand in the catalogues."""

from ledgerkit.texts import MessageId


class CatalogMsg(MessageId):
    ADJUSTMENTS_REFUSED = "catalog.adjustments_refused"
    ANSWER_WITHOUT_QUESTION = "catalog.answer_without_question"
    DELTA_OR_STOCK = "catalog.delta_or_stock"
    DELTA_OR_STOCK_FIELD = "catalog.delta_or_stock_field"
    VARIANT_OF_LINE_UNKNOWN = "catalog.variant_of_line_unknown"
    ITEM_UNKNOWN = "catalog.item_unknown"
    STOCK_TOO_LARGE = "catalog.stock_too_large"
    TOO_MANY_VARIANTS = "catalog.too_many_variants"
    VARIANTS_STOCK_TOO_LARGE = "catalog.variants_stock_too_large"
    VARIANT_UNKNOWN = "catalog.variant_unknown"
