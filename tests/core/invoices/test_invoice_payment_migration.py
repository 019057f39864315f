"""Migration that makes a payment of the amount paid before payments had rows, and its way back."""

from datetime import date
from uuid import UUID, uuid4

import pytest
from alembic import command
from sqlalchemy import text

from support.migrating import add_account, at_revision, move

ANA, BERTA = UUID(int=1), UUID(int=2)
INVOICE = (
    "insert into invoice (account_id, id, doc_type, status, series, number, client, items, tax_rate, retention_rate,"
    " subtotal, tax_amount, surcharge_amount, retention_amount, total, amount_paid, tax_breakdown, rounding, currency,"
    " issue_date, due_date, paid_at, channel, search_text) values (:account, :id, 'invoice', :status, 'F', :number,"
    " '{}', '[]', 0, 0, :total, 0, 0, 0, :total, :paid, '[]', 'document', 'EUR', '2026-01-01', '2026-01-31', :paid_at,"
    " 'web', '')"
)


@pytest.fixture
async def connection(postgres):
    """To a database of its own, with the tables of revision 0002 and somebody's invoices."""
    async with at_revision(postgres, "0002") as connection:
        for account in (ANA, BERTA):
            await add_invoices(connection, account)
        await connection.commit()
        yield connection


async def add_invoices(connection, account: UUID) -> None:
    """Add a paid invoice, an open one and a draft to an account."""
    await add_account(connection, account)
    for status, number, paid, day in (("paid", "1", 7, "2026-02-03"), ("sent", "2", 0, None), ("draft", None, 0, None)):
        values = {"account": account, "id": uuid4(), "status": status, "number": number, "total": 7, "paid": paid}
        paid_at = None if day is None else date.fromisoformat(day)
        await connection.execute(text(INVOICE), values | {"paid_at": paid_at})


async def test_what_was_paid_before_is_noted_account_by_account_and_forgotten_again(connection):
    await move(connection, command.upgrade, "0003")

    result = await connection.execute(
        text(
            "select p.account_id, p.amount, p.paid_at::text, p.channel, i.status from invoice_payment p"
            " join invoice i on i.account_id = p.account_id and i.id = p.invoice_id order by 1"
        )
    )
    assert [tuple(row) for row in result] == [(one, 7, "2026-02-03", "web", "paid") for one in (ANA, BERTA)]
    await move(connection, command.downgrade, "0002")
    gone = await connection.execute(text("select to_regclass('invoice_payment')"))
    assert gone.scalar_one() is None
