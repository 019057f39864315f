"""Each kind of write is done and taken back, and the stored tables are as they were before."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import text

from ledgerkit.core.operation.installation.database.all_tables import metadata
from support.api import Api, item
from support.database import as_owner
from support.office import Office
from support.payables import create_vendor, pay, record_invoice

UNDO = "/api/activity/undo"

NOT_COMPARED = {
    "activity",
    "app_user",
    "business_context",
    "idempotency_key",
    "job",
    "mail_log",
    "search_word",
    "stock_movement",
    "tally",
    "task_board",
}
"""The log itself, locks and heads, jobs and mails that were sent; movements of stock, which are only added to."""

COUNTS_OF_WRITES = {"activity", "invoice.changes", "invoice.deleted", "catalog.product.inactive"}
"""Counts that go up with every write, or count what is hidden."""

STAMPS = {"created_at", "updated_at", "version", "updated_by"}

Write = Callable[[Api, dict[str, Any]], Awaitable[object]]


def is_hidden(row: dict[str, Any]) -> bool:
    """True for a row that nobody is shown any more: deleted, inactive, or an invitation that is not open."""
    return bool(row.get("deleted_at")) or row.get("is_active") is False or row.get("state", "open") != "open"


async def stored(office: Office, account_id: str) -> dict[str, list[str]]:
    """The account's rows as text, by table, without what is hidden and without stamps."""
    tables: dict[str, list[str]] = {}
    async with as_owner(office.kernel) as connection:
        for name, table in metadata.tables.items():
            key = "id" if name == "account" else "account_id"
            if name in NOT_COMPARED or key not in table.c:
                continue
            rows = await connection.execute(
                text(f'select to_jsonb(t) as row from "{name}" t where {key} = :account'),  # noqa: S608 - ours
                {"account": account_id},
            )
            shown = [row.row for row in rows if not is_hidden(row.row)]
            kept = [{key: value for key, value in row.items() if key not in STAMPS} for row in shown]
            tables[name] = sorted(str(sorted(row.items())) for row in kept if row.get("count") != 0)
        counts = await connection.execute(
            text("select kind, sum(count) from tally where account_id = :account group by kind having sum(count) <> 0"),
            {"account": account_id},
        )
        tables["tally"] = sorted(f"{kind} {count}" for kind, count in counts if kind not in COUNTS_OF_WRITES)
    return tables


async def scene(api: Api) -> dict[str, Any]:
    vendor = await api.post("/api/vendors", {"name": "Papelera del Sur", "taxId": "B12345674", "iban": None})
    client = await api.post("/api/clients", {"name": "Talleres Norte", "city": "Bilbao", "taxId": "B12345674"})
    issued = await api.invoice(client=None, clientId=client["id"])
    await api.put("/api/teams/current", {"einvoicing": "off"})
    await api.patch(f"/api/invoices/{issued['id']}/pay", {"amount": 1})
    bill = await record_invoice(api, vendor["id"])
    colleague = await Api.register(api.client, f"col{api.email}")
    joined = await api.post("/api/teams/current/invite", {"email": colleague.email, "role": "member"})
    return {
        "team": api.team,
        "vendor": vendor,
        "client": client,
        "issued": await api.get(f"/api/invoices/{issued['id']}"),
        "draft": await api.invoice(client=None, clientId=client["id"], notes="Como siempre"),
        "bill": bill,
        "expense": await api.post(
            "/api/expenses",
            {
                "description": "Papel",
                "date": "2026-11-02",
                "amount": 121,
                "vendorId": vendor["id"],
                "taxRate": 21,
            },
        ),
        "task": await api.post("/api/tasks", {"title": "Llamar", "clientId": client["id"], "status": "todo"}),
        "item": await api.post("/api/catalog", {"name": "Tornillo", "unitPrice": 2, "stock": 7}),
        "service": await api.post("/api/catalog", {"name": "Montaje", "type": "service", "unitPrice": 30}),
        "entry": await api.put("/api/context/entry", {"key": "horario", "content": "De 9 a 5"}),
        "member": joined["member"],
    }


async def create_client(api: Api, _made: dict[str, Any]) -> None:
    await api.post("/api/clients", {"name": "Nuevo", "email": "nuevo@example.com"})


async def change_client(api: Api, made: dict[str, Any]) -> None:
    await api.put(f"/api/clients/{made['client']['id']}", {"city": "Madrid", "phone": "600", "name": "Otro nombre"})


async def delete_client(api: Api, made: dict[str, Any]) -> None:
    await api.delete(f"/api/clients/{made['client']['id']}")


async def create_a_vendor(api: Api, _made: dict[str, Any]) -> None:
    await create_vendor(api, "Nueva S.A.", iban="ES9121000418450200051332")


async def change_vendor(api: Api, made: dict[str, Any]) -> None:
    await api.put(f"/api/vendors/{made['vendor']['id']}", {"city": "Sevilla", "paymentTermDays": 10})


async def create_expense(api: Api, _made: dict[str, Any]) -> None:
    await api.post(
        "/api/expenses",
        {"description": "Tinta", "date": "2026-11-02", "amount": 60.5, "vendor": "Nadie", "taxRate": 21},
    )


async def create_expense_of_a_new_vendor(api: Api, _made: dict[str, Any]) -> None:
    fields = {"vendor": "Tintas del Este", "vendorTaxId": "A28015865"}
    await api.post(
        "/api/expenses", {"description": "Tinta", "date": "2026-11-02", "amount": 60.5, "taxRate": 21, **fields}
    )


async def change_expense(api: Api, made: dict[str, Any]) -> None:
    change = {"amount": 242, "taxRate": 10, "category": "office", "status": "paid", "notes": "Doble"}
    await api.put(f"/api/expenses/{made['expense']['id']}", change)


async def change_vendor_of_expense(api: Api, made: dict[str, Any]) -> None:
    await api.put(f"/api/expenses/{made['expense']['id']}", {"vendor": "Otra papelera", "vendorId": None})


async def delete_expense(api: Api, made: dict[str, Any]) -> None:
    await api.delete(f"/api/expenses/{made['expense']['id']}")


async def create_task(api: Api, made: dict[str, Any]) -> None:
    await api.post("/api/tasks", {"title": "Otra", "invoiceId": made["draft"]["id"]})


async def change_task(api: Api, made: dict[str, Any]) -> None:
    change = {"title": "Escribir", "dueDate": "2026-12-01", "tags": ["a"], "clientId": None, "priority": "high"}
    await api.put(f"/api/tasks/{made['task']['id']}", change)


async def move_task(api: Api, made: dict[str, Any]) -> None:
    await api.patch(f"/api/tasks/{made['task']['id']}/status", {"status": "review", "position": 3})


async def assign_task(api: Api, made: dict[str, Any]) -> None:
    await api.patch(f"/api/tasks/{made['task']['id']}/assign", {"assignedTo": made["member"]["userId"]})


async def delete_task(api: Api, made: dict[str, Any]) -> None:
    await api.delete(f"/api/tasks/{made['task']['id']}")


async def note_for_assistants(api: Api, _made: dict[str, Any]) -> None:
    await api.put("/api/context/entry", {"key": "pagos", "content": "Siempre a 30 días"})


async def create_item(api: Api, _made: dict[str, Any]) -> None:
    await api.post("/api/catalog", {"name": "Tuerca", "unitPrice": 1})


async def import_items(api: Api, made: dict[str, Any]) -> None:
    rows = [{"name": f"Tuerca {number}", "unitPrice": 1} for number in range(5)]
    await api.post("/api/catalog/import", {"rows": [*rows, {"name": made["item"]["name"], "unitPrice": 3}]})


async def change_item(api: Api, made: dict[str, Any]) -> None:
    change = {"unitPrice": 3.5, "category": "taller", "stock": 9, "name": "Tornillo largo"}
    await api.put(f"/api/catalog/{made['item']['id']}", change)


async def deactivate_item(api: Api, made: dict[str, Any]) -> None:
    await api.delete(f"/api/catalog/{made['service']['id']}")


async def count_stock(api: Api, made: dict[str, Any]) -> None:
    await api.patch(f"/api/catalog/{made['item']['id']}/stock", {"delta": -3})


async def draft_invoice(api: Api, made: dict[str, Any]) -> None:
    await api.invoice(client=None, clientId=made["client"]["id"])


async def draft_invoice_of_a_new_client(api: Api, _made: dict[str, Any]) -> None:
    await api.invoice(client={"name": "Recién llegado", "country": "ES"})


async def change_draft(api: Api, made: dict[str, Any]) -> None:
    items = [item(quantity=3, unitPrice=7), item(description="Otra cosa", taxRate=10)]
    change = {"items": items, "notes": "Otra nota", "retentionRate": 15, "dueDate": "2027-01-01"}
    await api.put(f"/api/invoices/{made['draft']['id']}", change)


async def change_client_of_draft(api: Api, made: dict[str, Any]) -> None:
    await api.put(f"/api/invoices/{made['draft']['id']}", {"client": {"name": "Otra persona", "country": "ES"}})


async def change_currency_of_draft(api: Api, made: dict[str, Any]) -> None:
    await api.put(f"/api/invoices/{made['draft']['id']}", {"currency": "USD", "exchangeRate": 0.9})


async def delete_draft(api: Api, made: dict[str, Any]) -> None:
    await api.delete(f"/api/invoices/{made['draft']['id']}")


async def share_invoice(api: Api, made: dict[str, Any]) -> None:
    await api.post(f"/api/invoices/{made['issued']['id']}/share")


async def pay_part(api: Api, made: dict[str, Any]) -> None:
    await api.patch(f"/api/invoices/{made['issued']['id']}/pay", {"amount": 10, "method": "cash"})


async def pay_all(api: Api, made: dict[str, Any]) -> None:
    await api.patch(f"/api/invoices/{made['issued']['id']}/pay")


async def invite(api: Api, _made: dict[str, Any]) -> None:
    await api.request("POST", "/api/teams/current/invite", {"email": f"x{api.email}", "role": "viewer"})


async def change_role(api: Api, made: dict[str, Any]) -> None:
    await api.patch(f"/api/teams/current/members/{made['member']['id']}/role", {"role": "finance"})


async def change_team(api: Api, _made: dict[str, Any]) -> None:
    await api.put("/api/teams/current", {"city": "Lugo", "phone": "600 000 000", "paymentTermDays": 15})


WRITES: list[Write] = [
    create_client,
    change_client,
    delete_client,
    create_a_vendor,
    change_vendor,
    create_expense,
    create_expense_of_a_new_vendor,
    change_expense,
    change_vendor_of_expense,
    delete_expense,
    create_task,
    change_task,
    move_task,
    assign_task,
    delete_task,
    note_for_assistants,
    create_item,
    import_items,
    change_item,
    deactivate_item,
    count_stock,
    draft_invoice,
    draft_invoice_of_a_new_client,
    change_draft,
    change_client_of_draft,
    change_currency_of_draft,
    delete_draft,
    share_invoice,
    pay_part,
    pay_all,
    invite,
    change_role,
    change_team,
]


@pytest.fixture(scope="module")
async def books(office):
    api = await office.account()
    return api, await scene(api)


@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
async def test_a_write_that_is_taken_back_leaves_the_tables_as_they_were(office, books, write):
    api, made = books
    before = await stored(office, api.team["id"])

    await write(api, made)
    between = await stored(office, api.team["id"])
    answer = await api.post(UNDO, {})

    assert between != before
    assert [(entry["undone"], entry["reason"]) for entry in answer["entries"]] == [(True, None)] * len(
        answer["entries"]
    )
    assert answer["calls"] == 1
    assert await stored(office, api.team["id"]) == before


async def sums(api: Api) -> dict[str, Any]:
    """The sums of accounts payable, without the number of payments: the opposite one counts too."""
    summary = await api.get("/api/supplier-invoices/summary")
    return {name: value for name, value in summary.items() if name != "monthPaymentCount"}


async def test_a_supplier_invoice_is_cancelled_and_its_payment_reversed(office, books):
    api, made = books
    summary = await sums(api)
    bill = made["bill"]

    await pay(api, bill, 121)
    assert (await api.post(UNDO, {}))["calls"] == 1
    read = await api.get(f"/api/supplier-invoices/{bill['id']}")

    assert (read["status"], read["balance"]) == (bill["status"], 121)
    assert [payment["amount"] for payment in read["payments"]] == [121, -121]
    assert await sums(api) == summary

    recorded = await record_invoice(api, made["vendor"]["id"], invoiceNumber="N-7")
    assert (await api.post(UNDO, {}))["calls"] == 1
    assert (await api.get(f"/api/supplier-invoices/{recorded['id']}"))["status"] == "cancelled"
    assert await sums(api) == summary
    assert await record_invoice(api, made["vendor"]["id"], invoiceNumber="N-7")
