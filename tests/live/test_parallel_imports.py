"""Simultaneous imports of documents of other software, and imports beside emissions: each document and number once."""

import asyncio
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from support.office import emit

pytestmark = pytest.mark.whole

SALES, PURCHASES = "/api/invoices/import", "/api/supplier-invoices/import"
CROWD, ROUNDS, DOCUMENTS = 6, 6, 20
TODAY = datetime.now(ZoneInfo("Europe/Madrid")).date()
YEAR = TODAY.year


def sale(number, **fields):
    return {
        "number": number,
        "issueDate": f"{YEAR}-01-05",
        "clientName": "Talleres Norte",
        "clientTaxId": "B12345674",
        "base": 100,
        "taxRate": 21,
        **fields,
    }


def purchase(number):
    return {
        "number": number,
        "invoiceDate": f"{YEAR}-01-05",
        "vendorName": "Papelera",
        "vendorTaxId": "A58818501",
        "base": 100,
        "taxRate": 21,
        "paidAt": f"{YEAR}-01-06",
        "paymentMethod": "transferencia",
    }


FILES = [
    (SALES, sale, "/api/invoices", "/api/clients"),
    (PURCHASES, purchase, "/api/supplier-invoices", "/api/vendors"),
]
"""Import, its rows, the documents and the parties that it stores."""


def sending(api, path, rows, **headers):
    return api.request("POST", path, {"rows": rows}, **headers)


async def sent_patiently(api, path, rows, **key):
    """The answer to who comes again when told so, as a busy machine may tell all but the first under a key."""
    async with asyncio.timeout(60):
        while (answer := await sending(api, path, rows, **key)).status_code == 409:
            assert answer.json()["code"] == "REQUEST_IN_FLIGHT"
            await asyncio.sleep(float(answer.headers["Retry-After"]))
    return answer


def messages(answer):
    return " ".join(problem["message"] for problem in answer.json()["errors"])


@pytest.mark.parametrize(("path", "row", "documents", "parties"), FILES, ids=["sales", "purchases"])
async def test_one_file_sent_by_many_at_once_is_stored_once(ana, path, row, documents, parties):
    rows = [row(f"A-{place}") for place in range(DOCUMENTS)]

    answers = await asyncio.gather(*(sending(ana, path, rows) for _ in range(CROWD)))

    assert {answer.status_code for answer in answers} == {200}, [answer.text for answer in answers]
    results = sorted((one.json()["documents"], len(one.json()["errors"])) for one in answers)
    assert results == [(0, DOCUMENTS)] * (CROWD - 1) + [(DOCUMENTS, 0)]
    assert all("is recorded already" in messages(one) for one in answers if one.json()["errors"])
    listed = await ana.request("GET", f"{documents}?limit=100")
    assert (len(listed.json()), listed.headers["x-total-count"]) == (DOCUMENTS, str(DOCUMENTS))
    assert len(await ana.get(parties)) == 1


async def test_files_that_share_a_document_are_stored_one_or_the_other(ana):
    first, second = [sale("A-1"), sale("A-2")], [sale("A-3"), sale("A-2", base=200)]

    answers = await asyncio.gather(sending(ana, SALES, first), sending(ana, SALES, second))

    assert sorted(answer.json()["documents"] for answer in answers) == [0, 2]
    numbers = sorted(one["number"] for one in await ana.get("/api/invoices"))
    assert numbers in (["A-1", "A-2"], ["A-2", "A-3"])
    [client] = await ana.get("/api/clients")
    assert (client["invoiceCount"], client["totalInvoiced"]) in ((2, 242), (2, 363))  # 121 + 121; 121 + 242


async def test_an_import_beside_an_emission_of_the_same_number(office):
    """Either the import is refused, or the emission goes on after it: which of them came first decides."""
    wanted = f"F{YEAR}-0001"
    for _ in range(ROUNDS):
        api = await office.account()
        draft = await api.invoice()

        emission, imported = await asyncio.gather(
            emit(api, draft), sending(api, SALES, [sale(wanted, issueDate=TODAY.isoformat())])
        )

        assert (imported.status_code, emission["invoiceId"]) == (200, draft["id"]), imported.text
        stored = {one["number"]: one["origin"] for one in await api.get("/api/invoices")}
        if imported.json()["documents"]:
            assert stored == {wanted: "external", f"F{YEAR}-0002": "own"}
        else:
            assert stored == {wanted: "own"}
            assert len(imported.json()["errors"]) == 1


async def test_emissions_beside_an_import_have_numbers_of_their_own(office):
    """Many emissions while a file of the first numbers of the series is imported: all numbers differ."""
    api = await office.account()
    drafts = [await api.invoice() for _ in range(CROWD)]
    rows = [sale(f"F{YEAR}-{ordinal:04d}") for ordinal in range(1, 4)]

    imported, *_ = await asyncio.gather(sending(api, SALES, rows), *(emit(api, one) for one in drafts))

    numbers = [one["number"] for one in await api.get("/api/invoices?limit=100")]
    first = 4 if imported.json()["documents"] else 1
    expected = {f"F{YEAR}-{ordinal:04d}" for ordinal in range(1, first + CROWD)}
    assert (set(numbers), len(numbers)) == (expected, len(expected))


@pytest.mark.parametrize(("path", "row", "documents", "parties"), FILES, ids=["sales", "purchases"])
async def test_a_repeated_idempotency_key_answers_the_first_import_again(ana, path, row, documents, parties):
    rows, key = [row("A-1")], {"Idempotency-Key": f"{path} once"}

    first, *others = await asyncio.gather(*(sent_patiently(ana, path, rows, **key) for _ in range(CROWD)))
    other_body = await sending(ana, path, [row("A-2")], **key)

    assert (first.status_code, first.json()["documents"], first.json()["errors"]) == (200, 1, [])
    assert {(answer.status_code, answer.text) for answer in others} == {(200, first.text)}
    assert (other_body.status_code, other_body.json()["code"]) == (409, "IDEMPOTENCY_CONFLICT")
    assert len(await ana.get(documents)) == 1


async def test_an_external_document_is_corrected_by_the_credit_note_endpoint_once(ana):
    """Simultaneous corrections of the whole of it make one credit note; its number stands for originalFiscalId."""
    await sending(ana, SALES, [sale("A-1")])
    [original] = await ana.get("/api/invoices")
    body = {"invoiceId": original["id"], "originalFiscalId": "A-1", "originalDate": f"{YEAR}-01-05"}

    answers = await asyncio.gather(*(ana.request("POST", "/api/einvoice/credit-note", body) for _ in range(CROWD)))

    assert sorted(answer.status_code for answer in answers) == [200] + [400] * (CROWD - 1), [a.text for a in answers]
    notes = [one for one in await ana.get("/api/invoices") if one["docType"] == "credit_note"]
    assert [(one["rectifies"], one["total"], one["origin"]) for one in notes] == [(original["id"], -121, "own")]
    corrected = await ana.get(f"/api/invoices/{original['id']}")
    assert (corrected["origin"], corrected["balance"], corrected["number"]) == ("external", 0, "A-1")
