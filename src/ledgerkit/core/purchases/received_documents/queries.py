"""Filters of the lists of received documents and of payments for them."""

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, Date, Table, Uuid, bindparam

from ledgerkit.core.platform.database.ids import id_sought
from ledgerkit.core.platform.records import search


@dataclass(frozen=True, kw_only=True)
class PurchaseFilter:
    """Filter of a list: every condition given must hold. Days are of the document or payment, both included."""

    vendor_id: str | None = None
    date_from: date | None = None
    date_to: date | None = None

    def parameters(self, without: Collection[str] = ()) -> dict[str, Any]:
        """Return the parameters of the list's statement by name; a malformed id matches nothing."""
        names = [field.name for field in fields(self) if field.name not in without]
        parameters = {name: value for name in names if (value := getattr(self, name)) is not None}
        if "vendor_id" in parameters:
            parameters["vendor_id"] = id_sought(parameters["vendor_id"])
        return parameters | search.parameters(parameters.pop("query", None))


def conditions(table: Table, day: ColumnElement[date]) -> dict[str, ColumnElement[bool]]:
    """Return the conditions of a `PurchaseFilter` by the names of their parameters; `day` is the column of its days."""
    return {
        "vendor_id": table.c.vendor_id == bindparam("vendor_id", type_=Uuid),
        "date_from": day >= bindparam("date_from", type_=Date),
        "date_to": day <= bindparam("date_to", type_=Date),
    }
