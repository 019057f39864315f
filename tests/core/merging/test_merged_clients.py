"""Two records of one client become one: with all documents, and nothing of what was issued altered."""

import asyncio
from uuid import uuid4

import pytest

from support.api import Api
from support.office import emit, settled

PATH = "/api/clients"


async def stored(api: Api, **fields) -> dict:
    return await api.post(PATH, {"name": "Talleres Norte", **fields})


async def invoice_of(api: Api, client: dict, **fields) -> dict:
    return await api.invoice(client=None, clientId=client["id"], **fields)


async def merge(api: Api, kept: dict, duplicate: dict) -> dict:
    return await api.post(f"{PATH}/{kept['id']}/merge", {"duplicateId": duplicate["id"]})


async def test_the_documents_and_figures_of_both_are_the_ones_of_the_client_that_stays(ana):
    kept, duplicate = (
        await stored(ana, taxId="B12345674"),
        await stored(ana, name="Talleres norte, S.L.", taxId="B12345674"),
    )
    await invoice_of(ana, kept)
    theirs = await invoice_of(ana, duplicate, issueDate="2026-03-02")
    await ana.patch(f"/api/invoices/{theirs['id']}/pay", {"amount": 21})
    draft = await invoice_of(ana, duplicate)
    task = await ana.post("/api/tasks", {"title": "Llamar", "clientId": duplicate["id"]})
    before = [await ana.get(f"{PATH}/{one['id']}") for one in (kept, duplicate)]

    merged = await merge(ana, kept, duplicate)

    assert merged["moved"] == {"invoices": 2, "tasks": 1}
    for figure in ("invoiceCount", "totalInvoiced", "balance"):
        assert merged["client"][figure] == sum(one[figure] for one in before)
    assert merged["client"] == await ana.get(f"{PATH}/{kept['id']}")
    listed = await ana.get(f"/api/invoices?clientId={kept['id']}")
    assert {one["id"] for one in listed} >= {theirs["id"], draft["id"]}
    assert (await ana.get(f"/api/tasks/{task['id']}"))["clientId"] == kept["id"]
    assert [one["id"] for one in await ana.get(PATH)] == [kept["id"]]
    await ana.refused(404, "GET", f"{PATH}/{duplicate['id']}")


async def test_what_was_issued_stays_byte_for_byte(office):
    ana = await office.account()
    kept = await stored(ana, taxId="B12345674")
    duplicate = await stored(ana, name="Taller del Norte", taxId="B-12345674")
    issued = await invoice_of(ana, duplicate)
    record = await emit(ana, issued)
    await settled(ana, issued)
    address = f"/api/einvoice/xml/{issued['id']}?fiscalId={record['fiscalId']}"
    before = await ana.get(f"/api/invoices/{issued['id']}")
    xml = await ana.request("GET", address)

    await merge(ana, kept, duplicate)

    assert xml.is_success
    assert (await ana.request("GET", address)).content == xml.content
    now = await ana.get(f"/api/invoices/{issued['id']}")
    assert {name for name in before if now[name] != before[name]} == {"clientId", "updatedAt"}
    assert (now["clientId"], now["client"]["name"]) == (kept["id"], "Taller del Norte")
    chain = await ana.get("/api/einvoice/chain?verify=true")
    assert chain["verification"]["ok"] is True


async def test_what_stays_takes_only_what_it_lacks(ana):
    kept = await stored(ana, city="Bilbao", phone="600100200")
    duplicate = await stored(
        ana,
        name="Otro nombre",
        taxId="B12345674",
        email="hola@example.com",
        phone="600300400",
        address="Calle Mayor 1",
        city="Madrid",
        paymentTermDays=15,
        dir3={"managingBody": "L01280796"},
    )

    client = (await merge(ana, kept, duplicate))["client"]

    assert (client["name"], client["taxId"], client["email"]) == ("Talleres Norte", "B12345674", "hola@example.com")
    assert (client["phone"], client["city"], client["address"]) == ("600100200", "Bilbao", None)
    assert (client["paymentTermDays"], client["dir3"]["managingBody"]) == (15, "L01280796")
    [found] = await ana.get(f"{PATH}?search=B12345674")
    assert found["id"] == kept["id"]


async def test_two_taxpayers_are_not_merged(ana):
    kept, other = await stored(ana, taxId="B12345674"), await stored(ana, taxId="A58818501")

    problem = await ana.refused(409, "POST", f"{PATH}/{kept['id']}/merge", {"duplicateId": other["id"]})

    assert problem["code"] == "NOT_DUPLICATES"
    assert len(await ana.get(PATH)) == 2


async def test_a_client_is_not_its_own_duplicate_nor_one_that_is_not_there(ana, berta):
    kept, foreign = await stored(ana), await stored(berta)
    gone = await stored(ana, name="Borrado")
    await ana.delete(f"{PATH}/{gone['id']}")

    problem = await ana.refused(400, "POST", f"{PATH}/{kept['id']}/merge", {"duplicateId": kept["id"]})

    assert [one["field"] for one in problem["errors"]] == ["duplicateId"]
    for unknown in (foreign["id"], gone["id"], str(uuid4())):
        await ana.refused(404, "POST", f"{PATH}/{kept['id']}/merge", {"duplicateId": unknown})
        await ana.refused(404, "POST", f"{PATH}/{unknown}/merge", {"duplicateId": kept["id"]})
    assert (await berta.get(f"{PATH}/{foreign['id']}"))["name"] == "Talleres Norte"


async def test_the_activity_names_both(ana):
    kept, duplicate = await stored(ana), await stored(ana, name="Talleres N.")

    await merge(ana, kept, duplicate)

    entries = await ana.get("/api/invoices/activity/feed")
    [entry] = [one for one in entries if one["action"] == "merged"]
    assert (entry["entityId"], entry["changes"]) == (kept["id"], {"merged": {"from": None, "to": "Talleres N."}})


@pytest.mark.parametrize("both", [True, False], ids=["each into the other", "twice the same"])
async def test_mergings_at_the_same_moment_leave_one_client(ana, both):
    one, two = await stored(ana), await stored(ana)
    await invoice_of(ana, one)
    await invoice_of(ana, two)

    answers = await asyncio.gather(
        ana.request("POST", f"{PATH}/{one['id']}/merge", {"duplicateId": two["id"]}),
        ana.request(
            "POST", f"{PATH}/{(two if both else one)['id']}/merge", {"duplicateId": (one if both else two)["id"]}
        ),
    )

    assert sorted(answer.status_code for answer in answers) == [200, 404]
    [left] = await ana.get(PATH)
    assert len(await ana.get(f"/api/invoices?clientId={left['id']}")) == 2


async def test_a_payment_at_the_same_moment_counts_for_the_client_that_stays(ana):
    kept, duplicate = await stored(ana), await stored(ana, taxId="B12345674")
    theirs = await invoice_of(ana, duplicate)
    await ana.patch(f"/api/invoices/{theirs['id']}/pay", {"amount": 1})

    await asyncio.gather(
        merge(ana, kept, duplicate), *(ana.patch(f"/api/invoices/{theirs['id']}/pay", {"amount": 1}) for _ in range(5))
    )

    invoice = await ana.get(f"/api/invoices/{theirs['id']}")
    assert (await ana.get(f"{PATH}/{kept['id']}"))["balance"] == invoice["balance"] == invoice["total"] - 6
