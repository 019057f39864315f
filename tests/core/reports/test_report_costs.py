"""Cost of a report: it reads the documents of its span, however many others there are."""

from datetime import date
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from ledgerkit.core.platform.database.statements import Prepared, driver
from ledgerkit.core.platform.database.transactions import enter
from ledgerkit.core.reports import queries as report_queries
from support.database import as_owner

COUNT = 3000
"""Documents of each kind, one every day: eight years."""

FIRST, LAST = date(2020, 1, 1), date(2020, 3, 31)

FILL = {
    "client": "insert into client (id, name, country, warnings, name_key, search_text)"
    " values ('00000000-0000-0000-0000-000000000001', 'x', 'ES', '[]', 'x', '')",
    "vendor": "insert into vendor (id, name, country, name_key, search_text)"
    " values ('00000000-0000-0000-0000-000000000001', 'x', 'ES', 'x', '')",
    "invoice": "insert into invoice (id, doc_type, status, series, year, ordinal, number, client_id, client, items,"
    " tax_rate, retention_rate, subtotal, tax_amount, surcharge_amount, retention_amount, total, amount_paid,"
    " tax_breakdown, rounding, currency, issue_date, due_date, paid_at, channel, unrecorded, search_text)"
    " select gen_random_uuid(), 'invoice', case when n % 50 = 0 then 'sent' else 'paid' end, 'F', 2018, n, n::text,"
    " '00000000-0000-0000-0000-000000000001', '{\"name\": \"x\"}', '[]', 21, 0, 100, 21, 0, 0, 121,"
    " case when n % 50 = 0 then 0 else 121 end,"
    ' \'[{"category": "standard", "rate": 21, "base": 100, "amount": 21, "surchargeAmount": 0}]\','
    " 'document', 'EUR', date '2018-01-01' + n, date '2018-01-01' + n, date '2018-01-01' + n, 'api', 'chosen', ''"
    " from generate_series(1, :count) n",
    "invoice_payment": "insert into invoice_payment (id, invoice_id, amount, paid_at, channel)"
    " select gen_random_uuid(), id, 121, issue_date, 'api' from invoice where status = 'paid'",
    "expense": "insert into expense (id, description, doc_type, category, amount, net_amount, tax_rate, tax_amount,"
    " retention_rate, retention_amount, currency, exchange_rate, base_total, base_amount, base_tax_amount,"
    " base_retention_amount, deductible, deductible_percent, deductible_tax_amount, income_tax_percent, date,"
    " reception_date, deduction_date, reverse_charge, intra_eu, investment_good, paid_at, source, channel, search_text)"
    " select gen_random_uuid(), 'x', 'invoice', 'office', 121, 100, 21, 21, 0, 0, 'EUR', 1, 121, 100, 21, 0, true, 100,"
    " 21, 100, d, d, d, n % 10 = 0, 'none', false, case when n % 50 > 0 then d end, 'manual', 'api', ''"
    " from generate_series(1, :count) n, lateral (select date '2018-01-01' + n as d) day",
    "supplier_invoice": "insert into supplier_invoice (id, vendor_id, vendor_name, vendor_country, invoice_date,"
    " reception_date, deduction_date, due_date, items, tax_breakdown, deductions, subtotal, tax_rate,"
    " tax_amount, surcharge_amount, self_assessed_tax, retention_amount, total, paid_amount, currency, reverse_charge,"
    " intra_eu, investment_good,"
    " deductible_percent, deductible_tax_amount, income_tax_percent, channel, search_text)"
    " select gen_random_uuid(), '00000000-0000-0000-0000-000000000001', 'x', 'ES', d, d, d, d, '[]',"
    ' \'[{"rate": 21, "base": 100, "amount": 21}]\','
    ' \'[{"rate": 21, "base": 100, "tax": 21, "deductibleBase": 100, "deductibleTax": 21}]\','
    " 100, 21, 21, 0, 0, 0, 121, case when n % 50 > 0 then 121 else 0"
    " end, 'EUR', false, 'none', false, 100, 21, 100, 'api', ''"
    " from generate_series(1, :count) n, lateral (select date '2018-01-01' + n as d) day",
    "supplier_payment": "insert into supplier_payment (id, supplier_invoice_id, vendor_id, vendor_name, amount,"
    " currency, payment_method, payment_date, balance_after, channel)"
    " select gen_random_uuid(), id, vendor_id, 'x', 121, 'EUR', 'cash', invoice_date, 0, 'api'"
    " from supplier_invoice where paid_amount > 0",
}

STATEMENTS = {name: one for name, one in vars(report_queries).items() if isinstance(one, Prepared)}


@pytest.fixture
async def crowded(kernel, ana):
    """A connection within an account that has eight years of everything."""
    async with as_owner(kernel) as connection:
        await enter(connection, UUID(ana.team["id"]))
        for statement in FILL.values():
            await connection.execute(text(statement), {"count": COUNT} if ":count" in statement else {})
        await connection.execute(text("reset role"))
        for table in FILL:
            await connection.execute(text(f"analyze {table}"))
        await enter(connection, UUID(ana.team["id"]))
        yield connection


def read(node: dict[str, Any]) -> list[tuple[str, float]]:
    """Tables with the rows that were read of them, kept or not."""
    rows = node["Actual Rows"] + node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    scanned = [(node["Relation Name"], rows * node["Actual Loops"])] if "Relation Name" in node else []
    return scanned + [one for inner in node.get("Plans", ()) for one in read(inner)]


async def test_a_quarter_costs_its_own_documents(crowded):
    values = {"first": FIRST, "last": LAST, "today": LAST, "currency": "EUR", "most": None}
    most = max((LAST - FIRST).days + 1, COUNT // 50)
    too_much = {}

    for name, statement in STATEMENTS.items():
        explained = f"explain (analyze, format json) {statement._compiled.sql}"
        [(plan,)] = await driver(crowded).fetch(explained, *statement._arguments(crowded, values))
        report = read(plan[0]["Plan"])
        if not report or any(rows > most for _, rows in report):
            too_much[name] = report

    assert len(STATEMENTS) == 13
    assert too_much == {}
