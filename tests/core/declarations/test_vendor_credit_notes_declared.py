"""Credit notes of vendors among the supplier invoices, in Spain's declarations and record books."""

import pytest

from support.declarations import PATH
from support.payables import create_vendor

INVOICES = "/api/supplier-invoices"


@pytest.fixture
async def note(declarant):
    """Credit note over half of an invoice with 21 % VAT and 15 % retention; Ley 37/1992 art. 80, 90; RD 439/2007."""
    vendor = await create_vendor(declarant, "Asesoría Sol", taxId="B29805314", country="ES", postalCode="28004")
    terms = {"vendorId": vendor, "taxRate": 21, "retentionRate": 15, "retentionKind": "professional"}
    invoice = await declarant.post(
        INVOICES, terms | {"invoiceNumber": "7/26", "invoiceDate": "2026-01-15", "total": 1060}
    )
    await declarant.post(
        f"{INVOICES}/{invoice['id']}/payments",
        {"amount": 1060, "paymentMethod": "transfer", "paymentDate": "2026-01-15"},
    )
    note = await declarant.post(
        INVOICES,
        terms | {"invoiceNumber": "A1/26", "invoiceDate": "2026-02-15", "total": -530, "rectifies": invoice["id"]},
    )
    await declarant.post(
        f"{INVOICES}/{note['id']}/payments",
        {"amount": -530, "paymentMethod": "transfer", "paymentDate": "2026-02-15"},
    )
    return note


async def test_its_deduction_is_rectified_in_boxes_40_and_41(declarant, note):
    form = await declarant.generated(country="ES", form="303", year=2026, period="Q1")

    boxes = form["boxes"]
    assert (boxes["28"], boxes["29"], boxes["40"], boxes["41"], boxes["45"]) == (1000, 210, -500, -105, 105)
    evidence = await declarant.get(f"{PATH}/{form['id']}/evidence?box=41")
    assert [(one["documentId"], one["amount"]) for one in evidence] == [(note["id"], -105)]


async def test_its_retention_lowers_what_was_withheld(declarant, note):
    form = await declarant.generated(country="ES", form="111", year=2026, period="Q1")

    assert [form["boxes"][box] for box in ("07", "08", "09")] == [1, 500, 75]
    assert note["id"] in form["evidence"]["09"]


async def test_it_is_in_the_book_of_received_invoices_with_its_sign(declarant, note):
    answer = await declarant.request("GET", f"{PATH}/books?country=ES&year=2026&period=Q1&book=received&format=csv")

    rows = [row for row in answer.text.splitlines() if "A1/26" in row]
    assert len(rows) == 1
    assert "-500,00" in rows[0]
    assert "-105,00" in rows[0]


# ---------------------------------------------------------------- lists and rents


async def recorded(declarant, vendor, number, day, total, **fields):
    """Record an invoice that is paid on its day."""
    invoice = await declarant.post(
        INVOICES, {"vendorId": vendor, "invoiceNumber": number, "invoiceDate": day, "total": total, **fields}
    )
    payment = {"amount": total, "paymentMethod": "transfer", "paymentDate": day}
    await declarant.post(f"{INVOICES}/{invoice['id']}/payments", payment)
    return invoice


async def generated(declarant, form, period):
    return await declarant.generated(country="ES", form=form, year=2026, period=period)


async def record_of(declarant, form, period):
    [record] = (await generated(declarant, form, period))["records"]
    return record


async def test_form_347_has_it_in_the_quarter_of_its_date(declarant):
    """RD 1065/2007, arts. 33.1 and 35.1: 4840.00 in the first quarter, 1210.00 less in the second, 3630.00 in all."""
    vendor = await create_vendor(declarant, "Taller Sur", taxId="B29805314", country="ES", postalCode="29001")
    invoice = await recorded(declarant, vendor, "1", "2026-01-15", 4840, taxRate=21)
    note = await recorded(declarant, vendor, "A1", "2026-05-15", -1210, taxRate=21, rectifies=invoice["id"])

    record = await record_of(declarant, "347", "Y")

    names = ("operationKey", "amount", "q1Amount", "q2Amount")
    assert [record["fields"][name] for name in names] == ["A", "3630.00", "4840.00", "-1210.00"]
    assert set(record["documentIds"]) == {invoice["id"], note["id"]}


async def test_form_347_leaves_out_who_comes_below_the_limit_by_it(declarant):
    """RD 1065/2007, art. 33.1: 4840.00 less 2420.00 is not above 3005.06."""
    vendor = await create_vendor(declarant, "Taller Sur", taxId="B29805314", country="ES", postalCode="29001")
    invoice = await recorded(declarant, vendor, "1", "2026-01-15", 4840, taxRate=21)
    await recorded(declarant, vendor, "A1", "2026-05-15", -2420, taxRate=21, rectifies=invoice["id"])

    form = await generated(declarant, "347", "Y")

    assert (form["boxes"]["01"], form["boxes"]["02"]) == (0, 0)


async def of_german(declarant, *documents):
    """Record goods of a German vendor: an invoice of 1000 in January, and a credit note of 400 on each day given."""
    vendor = await create_vendor(declarant, "Kunde GmbH", taxId="DE123456788", country="DE")
    terms = {"taxRate": 21, "intraEu": "goods"}
    invoice = await recorded(declarant, vendor, "1", "2026-01-15", 1000, **terms)
    for place, day in enumerate(documents):
        await recorded(declarant, vendor, f"A{place}", day, -400, rectifies=invoice["id"], **terms)


async def test_form_349_has_the_difference_in_the_same_quarter(declarant):
    """RIVA, art. 80: 1000.00 less 400.00 acquired in one period."""
    await of_german(declarant, "2026-02-15")

    record = await record_of(declarant, "349", "Q1")

    fields = record["fields"]
    assert (fields["record"], fields["operationKey"], fields["base"]) == ("operator", "A", "600.00")


async def test_form_349_rectifies_an_earlier_quarter(declarant):
    """RIVA, art. 80.3: 1000.00 were declared for the first quarter, 600.00 is right."""
    await of_german(declarant, "2026-05-15")
    await generated(declarant, "349", "Q1")

    record = await record_of(declarant, "349", "Q2")

    names = ("record", "correctedYear", "correctedPeriod", "correctedBase", "declaredBase")
    assert [record["fields"][name] for name in names] == ["rectification", "2026", "1T", "600.00", "1000.00"]


@pytest.fixture
async def less_rent(declarant):
    """A rent of 1000 and a credit note of 200, with 19 % retention (RD 439/2007, art. 100): 152.00 of 800.00."""
    vendor = await create_vendor(declarant, "Locales SA", taxId="A58818501", country="ES", postalCode="28004")
    terms = {"taxRate": 21, "retentionRate": 19, "retentionKind": "rent", "leasedProperty": "9872023VH5797S0001WX"}
    invoice = await recorded(declarant, vendor, "1", "2026-01-15", 1020, **terms)
    return await recorded(declarant, vendor, "A1", "2026-02-15", -204, rectifies=invoice["id"], **terms)


async def test_form_115_has_what_is_left_of_the_rent(declarant, less_rent):
    form = await generated(declarant, "115", "Q1")

    assert [form["boxes"][box] for box in ("01", "02", "03", "05")] == [1, 800, 152, 152]
    assert less_rent["id"] in form["evidence"]["03"]


async def test_form_180_has_one_record_of_what_is_left(declarant, less_rent):
    record = await record_of(declarant, "180", "Y")

    fields = record["fields"]
    assert (fields["base"], fields["rate"], fields["retention"]) == ("800.00", "19.00", "152.00")
    assert less_rent["id"] in record["documentIds"]


async def test_form_190_has_one_record_of_what_is_left(declarant, note):
    """RD 439/2007, art. 95: 15 % of 1000.00 less 500.00."""
    record = await record_of(declarant, "190", "Y")

    fields = record["fields"]
    assert (fields["key"], fields["amount"], fields["retention"]) == ("G", "500.00", "75.00")
    assert note["id"] in record["documentIds"]
