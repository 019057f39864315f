"""Packs of AI actions, which the operator grants."""

from dataclasses import dataclass

from ledgerkit.core.platform.ai.balance import ledger
from ledgerkit.core.platform.database.transactions import retry_on_conflict
from ledgerkit.core.platform.request.context import Context

MOST_ACTIONS = 1_000_000
"""Actions of one pack at most: their sum fits into the balance for two thousand of such packs."""


@dataclass(frozen=True, kw_only=True)
class Granted:
    """Pack of an account; `is_new` is False where its reference was granted before. `left`: of all packs together."""

    actions: int
    is_new: bool
    left: int


async def grant(ctx: Context, actions: int, reference: str | None) -> Granted:
    """Add a pack of `actions` (1 to MOST_ACTIONS) to the account, once for each `reference`. Raises Unavailable."""

    async def attempt() -> Granted:
        async with ctx.transaction() as inner:
            pack, is_new = await ledger.grant(inner, actions, reference)
            left = (await ledger.locked(inner)).purchased
            return Granted(actions=pack.actions, is_new=is_new, left=left)

    return await retry_on_conflict(attempt)
