"""Files of documents: uploaded, listed, read, attached later, deleted; for every kind of document."""

import pytest

from support.api import Api
from support.database import set_role
from support.files import JPEG, PDF, PNG, URL, content_of, digest, expense, file_body, of, stored, uploaded
from support.work import worked_off


async def supplier_invoice(api, **fields):
    vendor = await api.post("/api/vendors", {"name": "Papelería Sol"})
    line = {"vendorId": vendor["id"], "invoiceDate": "2026-11-02", "total": 121, "taxRate": 21, **fields}
    return await api.post("/api/supplier-invoices", line)


async def payment(api, **fields):
    invoice = await supplier_invoice(api)
    paid = {"amount": 50, "paymentMethod": "transfer", **fields}
    return await api.post(f"/api/supplier-invoices/{invoice['id']}/payments", paid)


DOCUMENTS = {
    "expense": expense,
    "supplier_invoice": supplier_invoice,
    "supplier_payment": payment,
    "invoice": lambda api: api.invoice(),
    "task": lambda api: api.post("/api/tasks", {"title": "Archivar"}),
}


@pytest.mark.parametrize("kind", DOCUMENTS)
async def test_every_document_takes_files_and_gives_them_back(ana, kind):
    document = of(kind, await DOCUMENTS[kind](ana))

    first = await uploaded(ana, PDF, "pedido.pdf", **document)
    second = await uploaded(ana, PNG, "foto.png", **document)

    shown = await ana.get(f"{URL}?documentType={kind}&documentId={document['documentId']}")
    assert [one["id"] for one in shown] == [first["id"], second["id"]]
    assert shown[0] == first == await ana.get(f"{URL}/{first['id']}")
    assert first["url"] == f"{URL}/{first['id']}/content"
    assert (first["mediaType"], first["size"], first["sha256"]) == ("application/pdf", len(PDF), digest(PDF))
    assert await content_of(ana, second) == PNG


async def test_a_picture_is_shown_where_it_can_do_nothing_and_text_is_downloaded(ana):
    picture = await uploaded(ana, JPEG, "ticket.jpg")
    text = await uploaded(ana, b"a;b\n1;2\n", "líneas.csv")

    shown = await ana.request("GET", picture["url"])
    saved = await ana.request("GET", text["url"])

    assert shown.headers["content-type"] == "image/jpeg"
    assert shown.headers["content-disposition"] == "inline; filename*=UTF-8''ticket.jpg"
    assert shown.headers["content-security-policy"].endswith("sandbox")
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert shown.headers["cache-control"] == "no-store"
    assert shown.headers["etag"] == f'"{digest(JPEG)}"'
    assert (await ana.request("GET", picture["url"], **{"If-None-Match": shown.headers["etag"]})).status_code == 304
    assert saved.headers["content-disposition"] == "attachment; filename*=UTF-8''l%C3%ADneas.csv"
    assert saved.headers["content-type"].startswith("text/plain")


async def test_a_file_may_come_before_its_document(ana):
    loose = await uploaded(ana)
    bought = await expense(ana)

    attached = await ana.put(f"{URL}/{loose['id']}", of("expense", bought))

    assert (attached["documentType"], attached["documentId"]) == ("expense", bought["id"])
    assert (await ana.get(f"/api/expenses/{bought['id']}"))["receiptUrl"] == loose["url"]
    again = await ana.put(f"{URL}/{loose['id']}", of("expense", bought))
    assert again["id"] == loose["id"]
    other = await expense(ana)
    problem = await ana.refused(409, "PUT", f"{URL}/{loose['id']}", of("expense", other))
    assert problem["code"] == "ATTACHED_ALREADY"


async def test_a_link_to_an_uploaded_file_attaches_it(ana):
    receipt, bill, proof = [await uploaded(ana, content) for content in (PDF, PNG, JPEG)]

    bought = await expense(ana, receiptUrl=receipt["url"])
    paid = await payment(ana, attachmentUrl=proof["url"])
    changed = await expense(ana)
    await ana.put(f"/api/expenses/{changed['id']}", {"receiptUrl": bill["url"]})

    assert (await ana.get(f"{URL}/{receipt['id']}"))["documentId"] == bought["id"]
    assert (await ana.get(f"{URL}/{proof['id']}"))["documentId"] == paid["id"]
    assert (await ana.get(f"{URL}/{bill['id']}"))["documentId"] == changed["id"]
    assert paid["attachmentUrl"] == proof["url"]


async def test_the_document_shows_the_first_file_and_the_next_one_after_it(ana):
    bought = await expense(ana)
    receipt = f"/api/expenses/{bought['id']}"
    first = await uploaded(ana, PDF, **of("expense", bought))
    second = await uploaded(ana, PNG, **of("expense", bought))

    assert (await ana.get(receipt))["receiptUrl"] == first["url"]
    await ana.delete(f"{URL}/{first['id']}")
    assert (await ana.get(receipt))["receiptUrl"] == second["url"]
    await ana.delete(f"{URL}/{second['id']}")
    assert (await ana.get(receipt))["receiptUrl"] is None


async def test_a_link_of_the_callers_own_stays(ana):
    elsewhere = "https://example.com/ticket.jpg"
    bought = await expense(ana, receiptUrl=elsewhere)

    receipt = await uploaded(ana, **of("expense", bought))
    await ana.delete(f"{URL}/{receipt['id']}")

    assert (await ana.get(f"/api/expenses/{bought['id']}"))["receiptUrl"] == elsewhere


async def test_the_same_content_is_attached_once(ana, kernel):
    bought = await expense(ana)

    first = await uploaded(ana, **of("expense", bought))
    again = await uploaded(ana, **of("expense", bought))
    elsewhere = await uploaded(ana, **of("expense", await expense(ana)))

    assert again["id"] == first["id"] != elsewhere["id"]
    assert stored(kernel) == {digest(PDF): PDF}


async def test_a_repeated_upload_with_its_key_is_done_once(ana):
    body = file_body()

    first = await ana.request("POST", URL, body, **{"Idempotency-Key": "una vez"})
    again = await ana.request("POST", URL, body, **{"Idempotency-Key": "una vez"})

    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    other = await ana.refused(409, "POST", URL, file_body(PNG), **{"Idempotency-Key": "una vez"})
    assert other["code"] == "IDEMPOTENCY_CONFLICT"


async def test_what_is_not_attached_is_its_uploaders_alone(ana, client):
    rosa = await Api.register(client, "rosa@example.com")
    await ana.post("/api/teams/current/invite", {"email": "rosa@example.com"})
    await rosa.post(f"/api/teams/switch/{ana.team['id']}")
    loose = await uploaded(ana)

    for method, path, body in (
        ("GET", loose["url"], None),
        ("GET", f"{URL}/{loose['id']}", None),
        ("PUT", f"{URL}/{loose['id']}", of("expense", await expense(rosa))),
        ("DELETE", f"{URL}/{loose['id']}", None),
    ):
        await rosa.refused(404, method, path, body)


async def test_a_file_takes_the_rights_of_its_document(ana, client, kernel):
    rosa = await Api.register(client, "rosa@example.com")
    await ana.post("/api/teams/current/invite", {"email": "rosa@example.com"})
    await rosa.post(f"/api/teams/switch/{ana.team['id']}")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    bill = of("supplier_invoice", await supplier_invoice(ana))
    secret = await uploaded(ana, **bill)
    bought = of("expense", await expense(ana))
    receipt = await uploaded(ana, PNG, **bought)

    for method, path, body in (
        ("GET", secret["url"], None),
        ("GET", f"{URL}/{secret['id']}", None),
        ("GET", f"{URL}?documentType=supplier_invoice&documentId={bill['documentId']}", None),
        ("POST", URL, file_body(**bill)),
        ("DELETE", f"{URL}/{secret['id']}", None),
        ("POST", URL, file_body(JPEG, **bought)),
        ("DELETE", f"{URL}/{receipt['id']}", None),
    ):
        problem = await rosa.refused(403, method, path, body)
        assert problem["code"] == "FORBIDDEN_ROLE"
    assert await content_of(rosa, receipt) == PNG
    own = of("expense", await expense(rosa))
    await rosa.delete(f"{URL}/{(await uploaded(rosa, **own))['id']}")


async def test_no_account_reads_what_another_has_or_learns_that_it_has_it(ana, berta, kernel):
    hers = await uploaded(ana)

    for path in (hers["url"], f"{URL}/{hers['id']}"):
        await berta.refused(404, "GET", path)
    await berta.refused(404, "DELETE", f"{URL}/{hers['id']}")
    same = await uploaded(berta)
    await berta.delete(f"{URL}/{same['id']}")
    await worked_off(kernel)

    assert same.keys() == hers.keys()
    assert await content_of(ana, hers) == PDF
    assert len(list((kernel.settings.data_dir / "attachments").iterdir())) == 2


async def test_files_of_an_invoice_are_not_on_its_public_page(ana, client):
    invoice = await ana.invoice()
    order = await uploaded(ana, PDF, "pedido-secreto.pdf", **of("invoice", invoice))
    shared = await ana.post(f"/api/invoices/{invoice['id']}/share")

    page = await client.get(shared["shareUrl"])
    stranger = await client.get(order["url"])

    assert page.status_code == 200
    assert order["id"] not in page.text
    assert "pedido-secreto" not in page.text
    assert stranger.status_code == 401


async def test_the_history_of_a_document_names_its_files(ana):
    task = await ana.post("/api/tasks", {"title": "Archivar"})
    photo = await uploaded(ana, PNG, "foto.png", **of("task", task))
    await ana.delete(f"{URL}/{photo['id']}")

    history = await ana.get(f"/api/tasks/{task['id']}/history")

    assert [one["action"] for one in history] == ["created", "attachment_added", "attachment_deleted"]
