"""Schemas of merging."""

from uuid import UUID

from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.purchases.vendors.schemas import Vendor
from ledgerkit.core.sales.clients.schemas import Client


class Duplicate(Wire):
    duplicate_id: UUID
    """The record that goes."""


class MovedOfClient(Wire):
    """Numbers of what now counts for the client that stays."""

    invoices: int
    tasks: int


class MergedClient(Wire):
    client: Client
    moved: MovedOfClient


class MovedOfVendor(Wire):
    """Numbers of what now counts for the vendor that stays."""

    expenses: int
    supplier_invoices: int


class MergedVendor(Wire):
    vendor: Vendor
    moved: MovedOfVendor
