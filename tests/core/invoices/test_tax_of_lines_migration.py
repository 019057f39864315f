"""Documents issued before lines said why they are not subject say what was declared of them then."""

import json
from uuid import UUID, uuid4

import pytest
from alembic import command
from sqlalchemy import text

from support.migrating import add_account, at_revision, move

ANA, BERTA = UUID(int=1), UUID(int=2)
INVOICE = (
    "insert into invoice (account_id, id, doc_type, status, series, number, client, issuer, items, tax_rate,"
    " retention_rate, subtotal, tax_amount, surcharge_amount, retention_amount, total, tax_breakdown, replaced,"
    " rounding, currency, issue_date, due_date, channel, search_text) values (:account, :id, 'invoice', :status, 'F',"
    " :number, :client, :issuer, :items, 0, 0, 0, 0, 0, 0, 0, :rows, :replaced, 'document', 'EUR', '2026-01-01',"
    " '2026-01-31', 'web', '')"
)
REGISTER = (
    "insert into cash_register (account_id, id, holder, user_name, channel, currency, opening_amount, expected_amount)"
    " values (:account, :register, :account, 'x', 'web', 'EUR', 0, 0)"
)
MOVEMENT = (
    "insert into cash_movement (account_id, id, register_id, ordinal, type, amount, payment_method, description,"
    " line_items, prices_include_tax, channel) values (:account, :id, :register, 1, 'sale', 1, 'cash', 'x', :items,"
    " false, 'web')"
)
SPANISH, AMERICAN = {"name": "Norte", "country": "ES"}, {"name": "Acme", "country": "US"}
UNTAXED, TAXED = {"regimeKey": None, "tax": None}, {"regimeKey": None, "tax": None, "rate": 21.00}


@pytest.fixture
async def connection(postgres):
    """To a database of its own, with the tables of revision 0017."""
    async with at_revision(postgres, "0017") as connection:
        for account in (ANA, BERTA):
            await add_account(connection, account)
        await connection.commit()
        yield connection


async def issued(connection, account, client, number, *rows, issuer="ES", replaced=None) -> None:
    await connection.execute(
        text(INVOICE),
        {
            "account": account,
            "id": uuid4(),
            "status": "draft" if number is None else "sent",
            "number": number,
            "client": json.dumps(client),
            "issuer": None if number is None else json.dumps({"country": issuer}),
            "items": json.dumps([{"taxCategory": kind, **more} for kind, more in rows]),
            "rows": json.dumps([{"category": kind, **more} for kind, more in rows]),
            "replaced": replaced and json.dumps(replaced),
        },
    )
    await connection.commit()


async def reasons(connection):
    result = await connection.execute(text("select items, tax_breakdown from invoice order by account_id, number"))
    return [
        ([one["notSubjectReason"] for one in items], [row["notSubjectReason"] for row in rows])
        for items, rows in result
    ]


async def test_what_was_declared_by_the_client_s_country_is_written_down_account_by_account(connection):
    await issued(connection, ANA, SPANISH, "1", ("not_subject", UNTAXED), ("standard", TAXED))
    await issued(connection, ANA, AMERICAN, "2", ("not_subject", UNTAXED), ("exempt", UNTAXED))
    await issued(connection, ANA, SPANISH, "3", ("not_subject", {**UNTAXED, "regimeKey": "08"}))
    await issued(connection, ANA, SPANISH, "4", ("not_subject", {**UNTAXED, "tax": "IGIC"}))
    await issued(connection, ANA, SPANISH, "5", ("not_subject", UNTAXED), issuer="PT")
    await issued(connection, BERTA, AMERICAN, "1", ("not_subject", UNTAXED))
    await issued(connection, BERTA, AMERICAN, None, ("not_subject", UNTAXED))

    await move(connection, command.upgrade, "0024")

    assert await reasons(connection) == [
        (["article_7", None], ["article_7", None]),
        (["location_rules", None], ["location_rules", None]),
        (["location_rules"], ["location_rules"]),
        (["other"], ["other"]),
        ([None], [None]),
        (["location_rules"], ["location_rules"]),
        ([None], [None]),
    ]


async def test_what_a_credit_note_stands_for_says_it_too(connection):
    before = {"subtotal": 1, "taxBreakdown": [{"category": "not_subject", **UNTAXED}]}
    await issued(connection, ANA, SPANISH, "1", ("standard", TAXED), replaced=before)

    await move(connection, command.upgrade, "0024")

    (replaced,) = (await connection.execute(text("select replaced from invoice"))).scalars()
    assert replaced["subtotal"] == 1
    assert [row["notSubjectReason"] for row in replaced["taxBreakdown"]] == ["article_7"]


async def test_lines_sold_at_a_till_have_the_new_fields_and_it_can_be_undone(connection):
    values = {"account": ANA, "register": uuid4(), "id": uuid4(), "items": json.dumps([{"description": "x"}])}
    await connection.execute(text(REGISTER), values)
    await connection.execute(text(MOVEMENT), values)
    await issued(connection, ANA, SPANISH, "1", ("not_subject", UNTAXED))

    await move(connection, command.upgrade, "0024")
    (sold,) = (await connection.execute(text("select line_items from cash_movement"))).scalars()
    await move(connection, command.downgrade, "0017")

    assert sold == [{"description": "x", "notSubjectReason": None, "purchaseCost": None, "surchargeByDefault": False}]
    (items,) = (await connection.execute(text("select items from invoice"))).scalars()
    assert items == [{"taxCategory": "not_subject", **UNTAXED}]
