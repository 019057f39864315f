"""Schemas of merging."""

from ledgerkit.core.platform.api_types.fields import ShortText
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.purchases.vendors.api import Vendor
from ledgerkit.core.sales.clients.api import Client


class Duplicate(Wire):
    duplicate_id: ShortText
    """The record that goes."""


class MovedOfClient(Wire):
    """Numbers of what now counts for the client that stays."""

    invoices: int
    """Number of invoices, of whatever kind and state."""
    tasks: int
    """Number of tasks."""


class MergedClient(Wire):
    client: Client
    """The client that stays, with the figures of both."""
    moved: MovedOfClient
    """Records of the other client that now count for this one."""


class MovedOfVendor(Wire):
    """Numbers of what now counts for the vendor that stays."""

    expenses: int
    """Number of expenses."""
    supplier_invoices: int
    """Number of supplier invoices."""


class MergedVendor(Wire):
    vendor: Vendor
    """The vendor that stays."""
    moved: MovedOfVendor
    """Records of the other vendor that now count for this one."""
