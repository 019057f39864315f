"""Documents that are no invoices because their issuer has no tax identifier; only the sandbox numbers them."""

from sqlalchemy import ColumnElement, and_, literal_column

from ledgerkit.core.platform.database.statements import constant
from ledgerkit.core.platform.documents.einvoicing_state import Off
from ledgerkit.core.sales.invoices.json_columns.codecs import ISSUER
from ledgerkit.core.sales.invoices.table import InvoiceRow, invoice


def is_incomplete(row: InvoiceRow) -> bool:
    """Return True for a numbered document without its issuer's tax identifier.

    Source: RD 1619/2012 arts. 6.1.c and 7.1.d, by which it is no invoice.
    """
    if row.unrecorded != Off.NO_TAX_ID:
        return False
    issuer = ISSUER.decode(row.issuer)
    return issuer is None or not issuer.tax_id


def incomplete() -> ColumnElement[bool]:
    """SQL condition of `is_incomplete`, never null."""
    tax_id = invoice.c.issuer.op("->>")(literal_column("'tax_id'"))
    return and_(invoice.c.unrecorded.is_not_distinct_from(constant(Off.NO_TAX_ID.value)), tax_id.is_(None))
