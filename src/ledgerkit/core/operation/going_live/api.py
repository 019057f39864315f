"""Shapes of going live."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.settings import EInvoiceEnvironment


class GoLiveInput(Wire):
    """Choice of what is real: documents of suppliers, if the caller says so. Sales of a trial never are."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"keepPurchases": False}]})

    keep_purchases: Annotated[
        bool, Field(description="Expenses, supplier invoices and their payments are real, not trials, and stay")
    ] = False


class Lack(Wire):
    """Something that production needs and that is not there: of the account, or a setting of the server."""

    field: str
    """Field of the account, or setting of the server."""
    code: str
    """Stable code of what is missing."""
    message: str
    """Sentence that says what is missing."""
    remedy: str | None
    """Remedy, in words; null where the message says it."""


class TrialContent(Wire):
    """Numbers of what is set aside."""

    drafts: int
    """Number of drafts."""
    invoices: Annotated[int, Field(description="Numbered documents: invoices, credit notes, simplified invoices")]
    fiscal_records: int
    """Number of fiscal records."""
    payments: int
    """Number of payments of clients."""
    cash_registers: int
    """Number of cash registers."""
    expenses: int
    """Number of expenses."""
    supplier_invoices: int
    """Number of supplier invoices."""
    tax_declarations: int
    """Number of tax declarations."""


class KeptContent(Wire):
    """Numbers of what stays; settings, members, keys, notes and the tax profile stay too."""

    clients: int
    """Number of clients."""
    vendors: int
    """Number of vendors."""
    catalog_items: int
    """Number of catalog items."""
    tasks: int
    """Number of tasks."""
    expenses: int
    """Number of expenses."""
    supplier_invoices: int
    """Number of supplier invoices."""


class GoLiveStatus(Wire):
    """State of the account, and what going live would do, or has done."""

    state: Annotated[
        Literal["trial", "live"], Field(description="`live`: what it does now is real, or waits for production")
    ]
    environment: Annotated[EInvoiceEnvironment, Field(description="Authority that this server reports to")]
    live_since: Annotated[Timestamp | None, Field(description="When the trial was set aside; null where none was")]
    missing: Annotated[list[Lack], Field(description="All that production still needs; nothing is done before")]
    set_aside: Annotated[TrialContent, Field(description="Would be set aside; once live, what was")]
    kept: KeptContent
    """Would stay; once live, what stayed."""
    archive_id: Annotated[
        str | None, Field(description="The archive: its owner reads it as `X-Team-Id`, and it is in their export")
    ]
    next_steps: Annotated[list[str], Field(description="What the operator of the server does next")]
    notes: list[str]
    """Notes on what production can do without, and what that means."""
