"""Schemas of the search over all records."""

from enum import StrEnum

from ledgerkit.core.platform.api_types.wire import Wire

MOST_PER_TYPE = 20
USUAL_PER_TYPE = 5


class RecordType(StrEnum):
    """Type of a record, in the order of the results."""

    CLIENT = "client"
    INVOICE = "invoice"
    VENDOR = "vendor"
    SUPPLIER_INVOICE = "supplier_invoice"
    EXPENSE = "expense"
    CATALOG_ITEM = "catalog_item"
    TASK = "task"
    TAX_DECLARATION = "tax_declaration"
    CONTEXT_ENTRY = "context_entry"


class Hit(Wire):
    """A record that has all words of the query, or the amount."""

    type: RecordType
    """Type of the record."""
    id: str
    """Id of the record; of a context entry its key."""
    label: str
    """Number or name of the record."""
    detail: str
    """Line that tells it apart: party, tax id, city, date, total and status, as far as it has them."""


class SearchResult(Wire):
    items: list[Hit]
    """Hits: exact numbers, names and amounts first, then by type; documents newest first, names in their order."""
    more: list[RecordType]
    """Types of which there are more hits than `limit`."""
