"""Deleted invoices come back as they were: drafts, emitted ones, and voided ones into the books."""

from typing import Any

import pytest

from support.api import Api, item

UNSTABLE = {"updatedAt"}

pytestmark = pytest.mark.usefixtures("unreported")


@pytest.fixture
async def original(ana, issue):
    """An issued invoice of 1,452."""
    return await issue(await ana.invoice())


@pytest.fixture
async def note(ana, issue, original):
    """A credit note for all of it."""
    whole = item(unitPrice=-1200, description="Abono")
    return await issue(await ana.invoice(docType="credit_note", rectifies=original["id"], items=[whole]))


async def state(api: Api) -> dict[str, Any]:
    """All that the books say: lists with their totals, figures of clients, summary."""
    matches: dict[str, Any] = {}
    for query in ("", "?status=draft", "?status=sent", "?status=paid", "?includeDeleted=true"):
        answer = await api.request("GET", f"/api/invoices{query}")
        assert answer.headers["x-total-count"] == str(len(answer.json())), query
        matches[query] = [{k: v for k, v in one.items() if k not in UNSTABLE} for one in answer.json()]
    clients = await api.get("/api/clients")
    matches["clients"] = [(one["invoiceCount"], one["totalInvoiced"], one["balance"]) for one in clients]
    return matches | {"context": await api.get("/api/invoices/context")}


async def there_and_back(api: Api, *invoices: dict[str, Any]) -> None:
    """Delete in this order and restore in the opposite one: nothing may differ."""
    before = await state(api)
    for one in invoices:
        await api.delete(f"/api/invoices/{one['id']}")
    assert await state(api) != before
    for one in reversed(invoices):
        await api.post(f"/api/invoices/{one['id']}/restore")

    assert await state(api) == before


async def gone(api: Api, invoice: dict[str, Any]) -> bool:
    return (await api.request("GET", f"/api/invoices/{invoice['id']}")).status_code == 404


async def balance(api: Api, invoice: dict[str, Any]) -> float:
    return (await api.get(f"/api/invoices/{invoice['id']}"))["balance"]


async def test_a_draft_comes_back(ana):
    await there_and_back(ana, await ana.invoice())


async def test_a_voided_invoice_comes_back_with_its_number(ana, original):
    await there_and_back(ana, original)


async def test_a_paid_invoice_comes_back_with_its_payments(ana):
    draft = await ana.invoice(issueDate="2026-11-10")
    paid = await ana.patch(f"/api/invoices/{draft['id']}/pay", {"paidAt": "2026-11-20"})

    await there_and_back(ana, paid)

    [payment] = await ana.get(f"/api/invoices/{paid['id']}/payments")
    assert (payment["amount"], payment["paidAt"]) == (1452, "2026-11-20")


async def test_a_partly_paid_invoice_comes_back_with_what_is_open(ana, original):
    await ana.patch(f"/api/invoices/{original['id']}/pay", {"amount": 452})

    await there_and_back(ana, original)

    assert await balance(ana, original) == 1000


async def test_a_note_settles_again_what_it_settled(ana, note):
    await there_and_back(ana, note)


async def test_an_invoice_comes_back_to_its_note(ana, original, note):
    await there_and_back(ana, original)


@pytest.mark.parametrize("reverse", [False, True])
async def test_both_come_back_whichever_was_deleted_first(ana, original, note, reverse):
    await there_and_back(ana, *sorted((original, note), key=lambda one: one["number"], reverse=reverse))


async def test_both_come_back_whichever_is_restored_first(ana, original, note):
    before = await state(ana)
    for one in (original, note, original, note):
        path = f"/api/invoices/{one['id']}"
        await (ana.post(f"{path}/restore") if await gone(ana, one) else ana.delete(path))

    assert await state(ana) == before


async def test_a_note_deleted_after_its_invoice_settles_nothing_of_what_comes_back(ana, original, note):
    for one in (original, note):
        await ana.delete(f"/api/invoices/{one['id']}")

    back = await ana.post(f"/api/invoices/{original['id']}/restore")

    assert back["balance"] == 1452
    assert (await state(ana))["clients"] == [(1, 1452, 1452)]


async def test_a_note_comes_back_owed_when_its_invoice_was_paid_meanwhile(ana, original, note):
    await ana.delete(f"/api/invoices/{note['id']}")
    await ana.patch(f"/api/invoices/{original['id']}/pay")

    back = await ana.post(f"/api/invoices/{note['id']}/restore")

    assert (back["status"], back["balance"]) == ("sent", -1452)
    assert (await state(ana))["clients"] == [(2, 0, -1452)]


async def test_a_settled_note_is_open_again_when_it_settles_nothing_any_more(ana, original):
    draft = await ana.invoice(docType="credit_note", rectifies=original["id"], items=[item(unitPrice=-1200)])
    paid = await ana.patch(f"/api/invoices/{draft['id']}/pay")
    assert (paid["status"], paid["amountPaid"]) == ("paid", 0)
    await ana.delete(f"/api/invoices/{draft['id']}")
    await ana.patch(f"/api/invoices/{original['id']}/pay")

    back = await ana.post(f"/api/invoices/{draft['id']}/restore")

    assert (back["status"], back["balance"], back["paidAt"]) == ("sent", -1452, None)
    assert len((await state(ana))["?status=sent"]) == 1


async def test_what_was_paid_back_on_a_note_is_not_settled_a_second_time(ana, original):
    draft = await ana.invoice(docType="credit_note", rectifies=original["id"], items=[item(unitPrice=-1200)])
    await ana.patch(f"/api/invoices/{original['id']}/pay", {"amount": 1000})
    note = await ana.patch(f"/api/invoices/{draft['id']}/pay", {"amount": 400})
    assert note["balance"] == -600
    await ana.delete(f"/api/invoices/{note['id']}")

    back = await ana.post(f"/api/invoices/{note['id']}/restore")

    assert (back["balance"], await balance(ana, original)) == (-600, 0)


async def test_restoring_twice_is_restoring_once(ana, original):
    await ana.delete(f"/api/invoices/{original['id']}")

    answers = [await ana.request("POST", f"/api/invoices/{original['id']}/restore") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert answers[0].headers["etag"] == answers[1].headers["etag"]
    feed = await ana.get("/api/invoices/activity/feed?limit=3")
    assert [entry["action"] for entry in feed] == ["restored", "deleted", "issued"]


async def test_a_shared_link_opens_again(ana, client):
    draft = await ana.invoice()
    link = await ana.post(f"/api/invoices/{draft['id']}/share")
    await ana.delete(f"/api/invoices/{draft['id']}")
    assert (await client.get(f"/s/{link['shareToken']}")).status_code == 404

    await ana.post(f"/api/invoices/{draft['id']}/restore")

    assert (await client.get(f"/s/{link['shareToken']}")).status_code == 200


async def test_versions_guard_a_restore(ana, original):
    await ana.delete(f"/api/invoices/{original['id']}")

    await ana.refused(412, "POST", f"/api/invoices/{original['id']}/restore", None, **{"If-Match": '"1"'})

    await ana.refused(404, "GET", f"/api/invoices/{original['id']}")


async def test_an_emitted_invoice_was_only_hidden(live):
    ana = await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")
    invoice = await ana.invoice()
    await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})

    await there_and_back(ana, invoice)


async def test_deleted_ones_are_listed_when_asked_for(ana, original):
    draft = await ana.invoice()
    await ana.delete(f"/api/invoices/{original['id']}")

    shown = await ana.get("/api/invoices?includeDeleted=true")

    assert {one["id"]: one["deletedAt"] is not None for one in shown} == {original["id"]: True, draft["id"]: False}
