"""Details of received documents for tax declarations, the same for expenses and supplier invoices."""

import pytest

EXPENSE = {"description": "Alquiler", "amount": 121, "taxRate": 21, "date": "2026-11-02"}
INVOICE = {"invoiceDate": "2026-11-02", "taxRate": 21, "subtotal": 100}
NOTHING = {
    "retentionKind": None,
    "leasedProperty": None,
    "importDua": None,
    "usefulLifeYears": None,
    "triangular": False,
}
LEASE = {"retentionKind": "rent", "leasedProperty": "9872023VH5797S0001WX", "retentionRate": 19}
MACHINE = {"investmentGood": True, "usefulLifeYears": 10, "importDua": "26ES00280130001234"}
LAPTOP = {"usefulLifeYears": 4}
GOODS = {"intraEu": "goods", "triangular": True}


@pytest.fixture(params=["/api/expenses", "/api/supplier-invoices"])
async def request_for(request, ana):
    """Path and body that record a document with the details given, as an expense or as a supplier invoice."""
    if request.param == "/api/expenses":
        return lambda details: (request.param, {**EXPENSE, **details})
    vendor = await ana.post("/api/vendors", {"name": "Inmobiliaria Sol", "taxId": "B29805314"})
    return lambda details: (request.param, {**INVOICE, **total(details), "vendorId": vendor["id"], **details})


def total(details: dict) -> dict:
    """Total of the supplier invoice of 100 euros with these details: VAT unless from the EU, less the retention."""
    return {"total": 100 + (0 if "intraEu" in details else 21) - details.get("retentionRate", 0)}


STATED = [{}, LEASE, MACHINE, LAPTOP, GOODS, {"retentionKind": "rent"}, {"retentionKind": "employment"}]


@pytest.mark.parametrize("details", STATED)
async def test_details_are_kept(ana, request_for, details):
    document = await ana.post(*request_for(details))

    assert {name: document[name] for name in NOTHING} == NOTHING | {
        name: value for name, value in details.items() if name in NOTHING
    }


@pytest.mark.parametrize(
    ("details", "field"),
    [
        ({"retentionKind": "professional"}, "retentionKind"),
        ({"triangular": True}, "triangular"),
        ({"triangular": True, "intraEu": "services"}, "triangular"),
        ({"usefulLifeYears": 0}, "usefulLifeYears"),
        ({"retentionKind": "salary", "retentionRate": 15}, "retentionKind"),
        ({"importDua": ""}, "importDua"),
    ],
)
async def test_a_detail_that_contradicts_the_document_is_refused(ana, request_for, details, field):
    refusal = await ana.refused(400, "POST", *request_for(details))

    assert [error["field"] for error in refusal["errors"]] == [field]


async def test_a_change_may_not_take_away_what_a_detail_needs(ana):
    expense = await ana.post("/api/expenses", {**EXPENSE, **GOODS})
    path = f"/api/expenses/{expense['id']}"

    refusal = await ana.refused(400, "PUT", path, {"intraEu": "none"})
    changed = await ana.put(path, {"intraEu": "none", "triangular": False})

    assert refusal["errors"][0]["field"] == "triangular"
    assert (changed["intraEu"], changed["triangular"]) == ("none", False)


async def test_an_asset_stays_one_when_it_is_no_investment_good_of_the_vat(ana):
    expense = await ana.post("/api/expenses", {**EXPENSE, **MACHINE})

    changed = await ana.put(f"/api/expenses/{expense['id']}", {"investmentGood": False})

    assert (changed["investmentGood"], changed["usefulLifeYears"]) == (False, MACHINE["usefulLifeYears"])


CREDIT_NOTE = {"description": "Abono", "amount": -12.1, "taxRate": 21, "date": "2026-11-10", "docType": "credit_note"}


async def test_a_credit_note_names_what_it_corrects(ana, request_for):
    corrected = await ana.post(*request_for({}))

    credit_note = await ana.post("/api/expenses", {**CREDIT_NOTE, "rectifies": corrected["id"]})
    path = f"/api/expenses/{credit_note['id']}"
    sent_back = await ana.put(path, {**CREDIT_NOTE, "rectifies": corrected["id"]})
    cleared = await ana.put(path, {"rectifies": None})

    assert [one["rectifies"] for one in (corrected | {"rectifies": None}, credit_note, sent_back, cleared)] == [
        None,
        corrected["id"],
        corrected["id"],
        None,
    ]


async def test_only_a_credit_note_corrects_and_only_what_counts(ana, berta):
    vendor = await ana.post("/api/vendors", {"name": "Inmobiliaria Sol", "taxId": "B29805314"})
    cancelled = await ana.post("/api/supplier-invoices", {**INVOICE, "total": 121, "vendorId": vendor["id"]})
    await ana.put(f"/api/supplier-invoices/{cancelled['id']}/cancel", {"reason": "Duplicada"})
    expense = await ana.post("/api/expenses", EXPENSE)
    credit_note = await ana.post("/api/expenses", {**CREDIT_NOTE, "rectifies": expense["id"]})
    foreign = await berta.post("/api/expenses", EXPENSE)

    for document_id in (cancelled["id"], credit_note["id"]):
        refusal = await ana.refused(400, "POST", "/api/expenses", {**CREDIT_NOTE, "rectifies": document_id})
        assert refusal["errors"][0]["field"] == "rectifies"
    refusal = await ana.refused(400, "POST", "/api/expenses", {**EXPENSE, "rectifies": expense["id"]})
    assert refusal["errors"][0]["field"] == "rectifies"
    for document_id in (foreign["id"], "nothing"):
        await ana.refused(404, "POST", "/api/expenses", {**CREDIT_NOTE, "rectifies": document_id})
    refusal = await ana.refused(
        400, "PUT", f"/api/expenses/{credit_note['id']}", {"docType": "invoice", "amount": 12.1}
    )
    assert refusal["errors"][0]["field"] == "docType"
