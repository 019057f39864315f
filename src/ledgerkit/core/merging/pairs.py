"""The two records of a merging: which stays, which goes, and what the one takes from the other."""

from collections.abc import Sequence
from typing import TypeVar
from uuid import UUID

from ledgerkit.core import records
from ledgerkit.core.database.ids import as_id
from ledgerkit.core.database.row_types import AccountRow, Row
from ledgerkit.core.database.tables import TypedTable
from ledgerkit.core.merging.messages import MergingMsg
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code, Conflict, Invalid

_RowT = TypeVar("_RowT", bound=AccountRow)


async def locked_pair(
    ctx: Context, table: TypedTable[_RowT], kept_id: str, duplicate_id: UUID, what: str
) -> tuple[_RowT, _RowT]:
    """Return the record that stays and the one that goes, locked in the order of their ids.

    Raises NotFound; Invalid at `duplicateId` when both are one.
    """
    kept_key = as_id(kept_id, what)
    if kept_key == duplicate_id:
        raise Invalid.field("duplicateId", MergingMsg.ONE_RECORD)
    rows = {key: await records.fetch_locked(ctx, table, str(key), what) for key in sorted((kept_key, duplicate_id))}
    return rows[kept_key], rows[duplicate_id]


def check_tax_ids(kept: str | None, duplicate: str | None, kept_name: str, duplicate_name: str) -> None:
    """Raise Conflict NOT_DUPLICATES when both have a tax id and these differ in more than spelling."""
    if kept and duplicate and _plain(kept) != _plain(duplicate):
        raise Conflict(
            MergingMsg.OTHER_TAX_ID,
            code=Code.NOT_DUPLICATES,
            kept=f"{kept_name} ({kept})",
            duplicate=f"{duplicate_name} ({duplicate})",
        )


def lacking(kept: Row, duplicate: Row, groups: Sequence[Sequence[str]]) -> dict[str, object]:
    """Return what the record that stays takes of the duplicate: each group of fields of which it has none.

    Fields that only make sense together (the parts of an address) are a group, so that no mixture arises. The country
    is always there and goes with the first field of its group.
    """
    taken: dict[str, object] = {}
    for group in groups:
        optional = [name for name in group if name != "country"]
        if all(getattr(kept, name) is None for name in optional) and getattr(duplicate, group[0]) is not None:
            taken |= {name: getattr(duplicate, name) for name in group}
    return taken


def _plain(tax_id: str) -> str:
    return "".join(filter(str.isalnum, tax_id)).upper()
