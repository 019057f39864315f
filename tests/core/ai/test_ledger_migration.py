"""Bought actions become packs by the migration, and its way back keeps every balance."""

from uuid import UUID

from alembic import command
from sqlalchemy import text

from support.migrating import add_account, at_revision, move

BEFORE, AFTER = "0034", "0035"
BALANCES = {UUID(int=1): (3, 40), UUID(int=2): (25, 0)}
"""Used free actions and bought ones, by account."""


async def balances(connection) -> dict[UUID, tuple[int, int]]:
    query = text("select account_id, used, purchased from ai_balance")
    return {row.account_id: (row.used, row.purchased) for row in await connection.execute(query)}


async def test_balances_become_packs_and_stay_what_they_were(postgres):
    async with at_revision(postgres, BEFORE) as connection:
        for account, (used, purchased) in BALANCES.items():
            await add_account(connection, account)
            await connection.execute(
                text(
                    "insert into ai_balance (account_id, month, used, purchased) values (:id, '2026-11-01', :used, :p)"
                ),
                {"id": account, "used": used, "p": purchased},
            )
        await connection.commit()

        await move(connection, command.upgrade, AFTER)
        packs = list(await connection.execute(text("select account_id, actions, reference from ai_pack")))
        after = await balances(connection)
        await move(connection, command.downgrade, BEFORE)

        assert [tuple(pack) for pack in packs] == [(UUID(int=1), 40, None)]
        assert after == BALANCES
        assert await balances(connection) == BALANCES
