"""Offices of a Spanish public body (DIR3)."""

from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.wire import Wire


class Dir3(Wire):
    """Codes of a Spanish public body's offices, as its invoices must name them."""

    accounting_office: ShortText | None = None
    """Code of the accounting office (oficina contable); null where not stated."""
    managing_body: ShortText | None = None
    """Code of the managing body (órgano gestor); null where not stated."""
    processing_unit: ShortText | None = None
    """Code of the processing unit (unidad tramitadora); null where not stated."""
