"""Fields and counts that a record takes over from its duplicate before the duplicate is deleted."""

from collections.abc import Mapping, Sequence

from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.records import counters
from ledgerkit.core.platform.request.context import Context


def lacking(remaining: Row, duplicate: Row, groups: Sequence[Sequence[str]]) -> dict[str, object]:
    """Return the fields that the remaining record takes from its duplicate: each group of which it has none.

    Fields that only make sense together (the parts of an address) are a group, so that no mixture arises. The country
    is always there and goes with the first field of its group.
    """
    values: dict[str, object] = {}
    for group in groups:
        optional = [name for name in group if name != "country"]
        if all(getattr(remaining, name) is None for name in optional) and getattr(duplicate, group[0]) is not None:
            values |= {name: getattr(duplicate, name) for name in group}
    return values


async def move_counts(ctx: Context, kinds: Mapping[str, str]) -> None:
    """Add what each counter has counted to another one, by their kinds, and begin it anew."""
    counts = await counters.read(ctx.db, list(kinds))
    changes = {kind: -count for kind, count in counts.items()}
    await counters.add(ctx.db, changes | {kinds[kind]: count for kind, count in counts.items()})
