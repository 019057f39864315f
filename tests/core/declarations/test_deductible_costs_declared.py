"""Expenses that are not deductible, and assets, from the request to the boxes and the record book."""

from support.declarations import PATH

FINE = {"description": "Multa", "amount": 200, "date": "2026-02-10", "docType": "no_invoice", "deductible": False}
DINNER = {"description": "Cena", "amount": 110, "taxRate": 10, "date": "2026-02-11", "docType": "invoice"}
PAPER = {"description": "Papel", "amount": 121, "taxRate": 21, "date": "2026-02-12", "docType": "invoice"}
LAPTOP = {"description": "Portátil", "amount": 1815, "taxRate": 21, "date": "2026-01-01", "usefulLifeYears": 4}


async def of_2026(declarant, form, period):
    return await declarant.generated(country="ES", form=form, year=2026, period=period)


async def test_what_is_not_deductible_costs_nothing_anywhere(declarant):
    fine = await declarant.post("/api/expenses", FINE)
    dinner = await declarant.post(
        "/api/expenses", DINNER | {"deductible": False, "vendor": "Bar", "invoiceNumber": "1"}
    )
    paper = await declarant.post("/api/expenses", PAPER)

    income, vat, year = [await of_2026(declarant, *one) for one in (("130", "Q1"), ("303", "Q1"), ("390", "Y"))]
    book = await declarant.request("GET", f"{PATH}/books?country=ES&year=2026&period=Q1&book=received&format=csv")

    assert (income["boxes"]["02"], income["evidence"]["02"]) == (100, [paper["id"]])
    assert (vat["boxes"]["28"], vat["boxes"]["29"], year["boxes"]["232"]) == (100, 21, 100)
    costs = [row.split(";")[7] for row in book.text.splitlines() if row.endswith((fine["id"], dinner["id"]))]
    assert costs == ["0,00", "0,00"]


async def test_a_laptop_is_depreciated_and_a_current_purchase_of_the_vat(declarant):
    await declarant.post("/api/expenses", LAPTOP)

    income, vat = [await of_2026(declarant, *one) for one in (("130", "Q4"), ("303", "Q1"))]
    later = await declarant.generated(country="ES", form="130", year=2027, period="Q1")

    assert income["boxes"]["02"] == 375
    assert [vat["boxes"][box] for box in ("28", "29", "30", "31")] == [1500, 315, 0, 0]
    assert later["boxes"]["02"] == 92.47, "375 x 90 / 365"
