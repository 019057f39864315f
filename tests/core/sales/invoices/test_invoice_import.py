"""Import of issued documents of other software: amounts, numbers, locks, and their place in books and declarations."""

import re

import pytest

from support.api import item

IMPORT = "/api/invoices/import"
IN_2026 = {"issueDate": "2026-11-20"}

CSV = """Número;Tipo;Fecha;Cliente;NIF;País;Concepto;Base imponible;IVA;Cuota;IRPF;Retención;Total;Cobrada;Rectifica a
F2026-0001;factura;12/01/2026;Talleres Norte, S.L.;B12345674;ES;Diseño;1.000,00;21;210,00;15;150,00;1.060,00;20/01/2026;
F2026-0002;factura;03/02/2026;Talleres Norte, S.L.;B12345674;ES;Libros;50,00;4;2,00;;;173,00;;
F2026-0002;;;;;;Consultoría;100,00;21;21,00;;;;;
R2026-0001;rectificativa;10/03/2026;Talleres Norte, S.L.;B12345674;ES;Devolución;-100,00;21;-21,00;;;-121,00;;F2026-0002
"""


def row(number="A-1", **fields):
    return {"number": number, "issueDate": "2026-03-05", "clientName": "Ana", "base": 100, "taxRate": 21, **fields}


async def send_csv(api, text, *, encoding="utf-8", query=""):
    content = text if isinstance(text, bytes) else text.encode(encoding)
    headers = {**api.headers, "Content-Type": "text/csv"}
    answer = await api.client.post(f"{IMPORT}{query}", content=content, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def stored(api):
    return {one["number"]: one for one in await api.get("/api/invoices?limit=100")}


async def send(api, *rows, **fields):
    return await api.post(IMPORT, {"rows": list(rows), **fields})


def messages(answer):
    return [problem["message"] for problem in answer["errors"]]


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
async def test_a_spanish_file_is_imported_as_it_is(ana, encoding):
    answer = await send_csv(ana, CSV, encoding=encoding)

    assert (answer["imported"], answer["documents"], answer["errors"]) == (4, 3, []), answer
    assert answer["total"] == 1112.0  # 1060 + 173 - 121, the totals of the file
    documents = await stored(ana)
    first, second, note = documents["F2026-0001"], documents["F2026-0002"], documents["R2026-0001"]
    assert (first["origin"], first["status"], first["paidAt"]) == ("external", "paid", "2026-01-20")
    assert (first["retentionRate"], first["retentionAmount"], first["total"]) == (15, 150, 1060)
    assert (first["einvoice"], first["issueDate"]) == (None, "2026-01-12")
    assert [(one["rate"], one["base"], one["amount"]) for one in second["taxBreakdown"]] == [(4, 50, 2), (21, 100, 21)]
    assert (note["docType"], note["rectifies"], note["total"]) == ("credit_note", second["id"], -121)
    assert second["balance"] == 52  # 173 less the 121 that are set off
    assert note["balance"] == 0


async def test_json_and_csv_with_commas_make_the_same_documents(ana, berta):
    await send_csv(ana, "number,issueDate,clientName,base,taxRate\nA-1,2026-03-05,Ana,100.00,21\n")
    await send(berta, row())

    ours, theirs = [(await stored(api))["A-1"] for api in (ana, berta)]

    same = ("number", "issueDate", "dueDate", "subtotal", "taxAmount", "total", "taxBreakdown", "items", "origin")
    assert [ours[name] for name in same] == [theirs[name] for name in same]


async def test_rows_of_one_number_need_not_be_neighbours(ana):
    answer = await send(ana, row("A-1"), row("A-2"), row("A-1", taxRate=10))

    assert (answer["imported"], answer["documents"]) == (3, 2)
    assert (await stored(ana))["A-1"]["total"] == 231  # 100 + 21 + 100 + 10


async def test_a_dry_run_answers_the_same_and_stores_nothing(ana):
    tried = await send_csv(ana, CSV, query="?dryRun=true")
    nothing = await ana.get("/api/invoices")
    clients = await ana.get("/api/clients")
    done = await send_csv(ana, CSV)

    assert (nothing, clients) == ([], [])
    assert tried == {**done, "dryRun": True}


async def test_columns_that_nobody_knows_are_named(ana):
    answer = await send(ana, row(color="azul"))

    assert answer["warnings"] == ["These columns are unknown and were not read: color."]


async def test_five_thousand_rows_are_the_most(ana):
    text = "number,base\n" + "A,1\n" * 5001

    headers = {**ana.headers, "Content-Type": "text/csv"}
    answer = await ana.client.post(IMPORT, content=text.encode(), headers=headers)
    problem = await ana.refused(400, "POST", IMPORT, {"rows": [{}] * 5001})

    assert (answer.status_code, problem["status"]) == (400, 400)
    assert "5000" in answer.json()["errors"][0]["message"]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("fields", "field", "reason"),
    [
        ({"taxAmount": 21.02}, "taxAmount", "is 21.02, and the other amounts make 21.00"),
        ({"total": 120}, "total", "is 120.00, and the other amounts make 121.00"),
        ({"issueDate": "2099-01-01"}, "issueDate", "2099-01-01 is a day to come"),
        ({"issueDate": "5 de marzo"}, "issueDate", "'5 de marzo' is no day"),
        ({"taxRate": None}, "taxRate", "is required"),
        ({"taxRate": 20}, "taxRate", "20"),
        ({"base": -100}, "base", "may not be negative"),
        ({"base": "cien"}, "base", "'cien' is no number"),
        ({"clientName": None}, "clientName", "is required"),
        ({"clientTaxId": "B12345678"}, "client.taxId", ""),
        ({"retentionRate": 15, "retentionAmount": 14}, "retentionAmount", "is 14.00, and the other amounts make 15.00"),
        ({"rectifies": "A-0"}, "rectifies", "docType credit_note"),
        ({"dueDate": "2026-03-04"}, "dueDate", "issueDate"),
        ({"taxCategory": "exempt"}, "taxRate", ""),
        ({"number": None}, "number", "is required"),
    ],
)
async def test_a_bad_row_is_named_and_nothing_is_stored(ana, fields, field, reason):
    answer = await send(ana, row("A-1"), row("A-2") | fields)

    [problem] = answer["errors"]
    assert (problem["row"], problem["field"]) == (2, field), problem
    assert reason in problem["message"]
    assert (answer["imported"], answer["documents"], answer["total"]) == (0, 0, 0)
    assert (await ana.get("/api/invoices"), await ana.get("/api/clients")) == ([], [])


async def test_rounding_of_other_software_is_kept(ana):
    await send(ana, row(base=10.03, taxAmount=2.10), row(base=10.03, taxAmount=2.11, description="otra"))

    [document] = (await stored(ana)).values()
    assert (document["taxAmount"], document["total"]) == (4.21, 24.27)  # as stated: 2.10 + 2.11 on 20.06


async def test_a_file_again_is_duplicates_that_name_what_exists(ana):
    await send(ana, row("A-1"), row("A-2"))
    ids = {number: one["id"] for number, one in (await stored(ana)).items()}

    again = await send(ana, row("A-1"), row("A-2"))

    assert messages(again) == [
        f"row {place}: number: A-{place} is recorded already, as {ids[f'A-{place}']}" for place in (1, 2)
    ]
    assert len(await stored(ana)) == 2


async def test_fields_of_one_document_agree(ana):
    answer = await send(ana, row(), row(issueDate="2026-03-06"))

    assert messages(answer) == ["row 2: issueDate: differs from row 1 of the same document"]


# ---------------------------------------------------------------- numbers


async def test_our_numbers_go_on_after_those_of_the_other_software(ana):
    await send(ana, row("F2026-0041"), row("F2026-0007"), row("B-77"))

    paid = await ana.patch(f"/api/invoices/{(await ana.invoice(**IN_2026))['id']}/pay")

    assert paid["number"] == "F2026-0042"


async def test_a_series_chosen_later_goes_on_too(ana):
    await send(ana, row("WEB2026-0003"))
    await ana.put("/api/teams/current", {"series": {"invoice": "WEB"}})

    paid = await ana.patch(f"/api/invoices/{(await ana.invoice(**IN_2026))['id']}/pay")

    assert paid["number"] == "WEB2026-0004"


async def test_numbers_after_our_own_are_refused(ana):
    await ana.patch(f"/api/invoices/{(await ana.invoice(**IN_2026))['id']}/pay")

    answer = await send(ana, row("F2026-0005"))
    other = await send(ana, row("F2025-0005", issueDate="2025-03-05"))

    assert "after number 1 of series F of 2026" in messages(answer)[0]
    assert other["errors"] == []


async def test_a_deleted_import_leaves_its_number(ana, unreported):
    await send(ana, row("F2026-0005"))
    [first] = (await stored(ana)).values()
    await ana.delete(f"/api/invoices/{first['id']}")

    again = await send(ana, row("F2026-0005", base=200))

    assert again["errors"] == []
    problem = await ana.refused(400, "POST", f"/api/invoices/{first['id']}/restore")
    assert problem["code"] == "INVOICE_EXTERNAL"
    paid = await ana.patch(f"/api/invoices/{(await ana.invoice(**IN_2026))['id']}/pay")
    assert paid["number"] == "F2026-0006"


# ---------------------------------------------------------------- locks


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/api/invoices/{id}", {"notes": "otra"}),
        ("POST", "/api/invoices/{id}/share", None),
        ("GET", "/api/invoices/{id}/pdf", None),
        ("PATCH", "/api/invoices/{id}/send", None),
        ("POST", "/api/einvoice/emit", {"invoiceId": "{id}"}),
    ],
)
async def test_an_imported_document_is_locked(ana, method, path, body):
    await send(ana, row(clientEmail="ana@example.com"))
    [document] = (await stored(ana)).values()
    body = body and {name: value.format(id=document["id"]) for name, value in body.items()}

    problem = await ana.refused(400, method, path.format(id=document["id"]), body)

    assert problem["code"] == "INVOICE_EXTERNAL"


async def test_it_is_paid_deleted_and_restored_as_plain_writes(ana):
    await send(ana, row(clientTaxId="B12345674"))
    [document] = (await stored(ana)).values()

    part = await ana.patch(f"/api/invoices/{document['id']}/pay", {"amount": 21})
    [client] = await ana.get("/api/clients")
    await ana.delete(f"/api/invoices/{document['id']}")
    [without] = await ana.get("/api/clients")
    back = await ana.post(f"/api/invoices/{document['id']}/restore")

    assert (part["balance"], client["invoiceCount"], client["balance"]) == (100, 1, 100)
    assert (without["invoiceCount"], without["totalInvoiced"]) == (0, 0)
    assert (back["origin"], back["balance"]) == ("external", 100)


async def test_verification_owes_nothing_for_it(ana):
    await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/pay")
    await send(ana, row())

    verified = await ana.get("/api/einvoice/chain?verify=true")
    providers = await ana.get("/api/einvoice/providers")

    assert (verified["unrecorded"]["count"], verified["unrecorded"]["others"]) == (0, {})
    assert providers["unrecorded"] == 0


async def test_a_credit_note_of_ours_corrects_it_by_number_and_day(ana):
    await send(ana, row(clientTaxId="B12345674"))
    [document] = (await stored(ana)).values()
    body = {"docType": "credit_note", "rectifies": document["id"], "items": [item(unitPrice=-100)]}

    draft = await ana.post("/api/invoices", body)
    note = await ana.patch(f"/api/invoices/{draft['id']}/pay")

    answer = await ana.request("GET", f"/api/einvoice/xml/{note['id']}?fiscalId={note['einvoice']['fiscalId']}")
    corrected = re.findall(r"<[^>]*IDFacturaRectificada>(.*?)</[^>]*IDFacturaRectificada>", answer.text, re.DOTALL)
    assert (note["rectifies"], note["total"], note["origin"]) == (document["id"], -121, "own")
    assert [part in corrected[0] for part in (">A-1<", ">05-03-2026<")] == [True, True]
    assert (await ana.get(f"/api/invoices/{document['id']}"))["balance"] == 0


async def test_another_currency_counts_by_the_rate_that_the_file_states(ana):
    dollars = row("U-1", currency="USD", taxRate=0, taxCategory="export", paidAt="2026-03-20", exchangeRate="0,92")
    answer = await send(ana, {**dollars, "exchangeRateSource": "BCE 2026-03-05"}, row("U-2", currency="USD"))

    assert (answer["documents"], answer["errors"], answer["total"]) == (2, [], 92)
    documents = await stored(ana)
    assert (documents["U-1"]["exchangeRate"], documents["U-1"]["exchangeRateSource"]) == (0.92, "BCE 2026-03-05")
    assert documents["U-2"]["exchangeRate"] is None
    report = await ana.get("/api/expenses/profit-loss?from=2026-01-01&to=2026-12-31")
    assert report["income"] == 92


async def test_a_rate_of_the_accounts_own_currency_is_refused(ana):
    answer = await send(ana, row(exchangeRate=1.1))

    assert [(one["row"], one["field"]) for one in answer["errors"]] == [(1, "exchangeRate")]


async def test_a_name_that_several_clients_have_is_said_with_the_row(ana):
    first = await ana.post("/api/clients", {"name": "Ana", "taxId": "12345678Z", "city": "Madrid"})
    await ana.post("/api/clients", {"name": "Ana", "city": "Vigo"})

    answer = await send(ana, row(clientName="Otra"), row("A-2"))

    [warning] = answer["warnings"]
    assert warning.startswith("CLIENT_AMBIGUOUS: ")
    assert f"{first['id']}, 12345678Z, Madrid" in warning
    assert "(row 2;" in warning
    assert len(await ana.get("/api/clients")) == 4
