"""Import of received invoices: vendors, payments, uses of their lines, duplicates."""

import pytest

IMPORT = "/api/supplier-invoices/import"

HEADER = (
    "Número;Fecha;Proveedor;NIF;Concepto;Base imponible;IVA;Cuota;Retención;Clase retención;Bien inversión;"
    "Vida útil;Deducible;Fecha pago;Forma pago;Total\n"
)
CSV = (
    HEADER
    + """2026/118;15/01/2026;Papelera del Sur;A58818501;Papel;200,00;21;42,00;;;;;;20/01/2026;transferencia;242,00
AL-1;01/02/2026;Inmobiliaria Luz;B12345674;Alquiler;500,00;21;105,00;95,00;alquiler;;;;;;510,00
V-9;10/03/2026;Papelera del Sur;A58818501;Furgoneta;10.000,00;21;2.100,00;;;sí;5;50;;;12.121,00
V-9;;Papelera del Sur;A58818501;Manual;20,00;4;0,80;;;;;;;;
"""
)


def row(number="P-1", **fields):
    return {
        "number": number,
        "invoiceDate": "2026-03-05",
        "vendorName": "Papelera",
        "base": 100,
        "taxRate": 21,
        **fields,
    }


async def send(api, *rows, **fields):
    return await api.post(IMPORT, {"rows": list(rows), **fields})


async def send_csv(api, text):
    headers = {**api.headers, "Content-Type": "text/csv"}
    answer = await api.client.post(IMPORT, content=text.encode("cp1252"), headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def stored(api):
    return {one["invoiceNumber"]: one for one in await api.get("/api/supplier-invoices?limit=100")}


async def test_a_spanish_file_is_imported_with_vendors_payments_and_uses(ana):
    answer = await send_csv(ana, CSV.replace("12.121,00", "12.120,80"))

    assert (answer["imported"], answer["documents"], answer["errors"]) == (4, 3, []), answer
    assert answer["total"] == 12_872.80  # 242 + 510 + 12120.80, the totals of the file
    invoices = await stored(ana)
    paper, rent, van = invoices["2026/118"], invoices["AL-1"], invoices["V-9"]
    assert (paper["origin"], paper["status"], paper["balance"]) == ("external", "paid", 0)
    assert (rent["retentionKind"], rent["retentionAmount"], rent["balance"]) == ("rent", 95, 510)
    # 50 % of 2100 and all of 0.80
    assert van["deductibleTaxAmount"] == 1050.80
    good = [one for one in van["deductions"] if one["investmentGood"]]
    assert [(one["base"], one["usefulLifeYears"]) for one in good] == [(10_000, 5)]
    assert [vendor["name"] for vendor in await ana.get("/api/vendors")] == ["Inmobiliaria Luz", "Papelera del Sur"]
    [payment] = await ana.get(f"/api/supplier-invoices/{paper['id']}/payments")
    assert (payment["amount"], payment["paymentDate"], payment["paymentMethod"]) == (242, "2026-01-20", "transferencia")
    payable = {one["vendorName"]: one for one in await ana.get("/api/supplier-invoices/accounts-payable")}
    assert (payable["Papelera del Sur"]["totalPaid"], payable["Papelera del Sur"]["balance"]) == (242, 12_120.80)


async def test_a_wrong_total_names_both_figures(ana):
    answer = await send_csv(ana, CSV)

    assert [one["message"] for one in answer["errors"]] == [
        "row 3: total: is 12121.00, and the other amounts make 12120.80"
    ]
    assert (await ana.get("/api/supplier-invoices"), await ana.get("/api/vendors")) == ([], [])


async def test_a_file_again_is_duplicates(ana):
    await send(ana, row(), row("P-2"))
    [first, second] = [(await stored(ana))[number]["id"] for number in ("P-1", "P-2")]

    again = await send(ana, row("p 1"), row("P-2"), row("P-3"))

    assert [one["message"] for one in again["errors"]] == [
        f"row 1: number: p 1 is recorded already, as {first}",
        f"row 2: number: P-2 is recorded already, as {second}",
    ]
    assert len(await stored(ana)) == 2


async def test_a_dry_run_stores_nothing(ana):
    tried = await send(ana, row(), dryRun=True)

    assert (tried["imported"], tried["total"], await ana.get("/api/supplier-invoices")) == (1, 121, [])


async def test_an_acquisition_in_the_eu_is_assessed_by_the_buyer(ana):
    await send(ana, row(vendorCountry="FR", vendorTaxId="FR40303265045", intraEu="bienes", taxAmount=0, total=100))

    [invoice] = (await stored(ana)).values()
    assert (invoice["intraEu"], invoice["selfAssessedTax"], invoice["total"]) == ("goods", 21, 100)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"taxAmount": 22}, "taxAmount"),
        ({"invoiceDate": "2099-01-01"}, "invoiceDate"),
        ({"vendorName": None}, "vendorName"),
        ({"vendorTaxId": "B12345678"}, "vendorTaxId"),
        ({"base": -1}, "items"),
        ({"retentionKind": "professional"}, "retentionKind"),
        ({"taxRate": None}, "taxRate"),
    ],
)
async def test_a_bad_row_is_named_and_nothing_is_stored(ana, fields, field):
    answer = await send(ana, row(), row("P-2") | fields)

    assert [(one["row"], one["field"]) for one in answer["errors"]] == [(2, field)], answer
    assert await ana.get("/api/supplier-invoices") == []


async def test_another_currency_counts_by_the_rate_that_the_file_states(ana):
    dollars = row(currency="USD", exchangeRate="0,92", paidAt="2026-03-10", paymentMethod="card")
    answer = await send(ana, dollars)

    # 100 and 21 dollars at 0.92: 92 and 19.32
    assert (answer["documents"], answer["errors"], answer["total"]) == (1, [], 111.32)
    [payable] = await ana.get("/api/supplier-invoices/accounts-payable")
    assert (payable["totalInvoiced"], payable["totalPaid"], payable["balance"]) == (111.32, 111.32, 0)
    [payment] = await ana.get("/api/supplier-invoices/payments/all")
    assert (payment["amount"], payment["baseAmount"]) == (121, 111.32)


async def test_credit_notes_name_the_invoice_that_they_correct(ana):
    note = row("N-1", base=-40, rectifies="p-1", paidAt="2026-03-20")
    answer = await send(ana, note, row(), row("N-2", base=-10, rectifies="Z-9"))

    assert (answer["documents"], answer["errors"], len(answer["warnings"])) == (3, [], 1), answer
    invoices = await stored(ana)
    assert invoices["N-1"]["rectifies"] == invoices["P-1"]["id"]
    assert (invoices["N-1"]["total"], invoices["N-1"]["balance"]) == (-48.40, 0)
    assert (invoices["N-2"]["rectifies"], invoices["N-2"]["balance"]) == (None, -12.10)


async def test_amounts_below_zero_are_of_credit_notes_only(ana):
    answer = await send(ana, row(base=-40))

    assert [one["row"] for one in answer["errors"]] == [1]
    assert await stored(ana) == {}
