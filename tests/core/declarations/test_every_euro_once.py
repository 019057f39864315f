"""Documents that come, change or are paid after their period was filed: declared once, and named until they are."""

import pytest

from support.declarations import PATH
from support.payables import create_vendor

INVOICES = "/api/supplier-invoices"
AMENDS = {"receiptNumber": "3031234567890"}
PROFESSIONAL = {"retentionRate": 15, "retentionKind": "professional"}


@pytest.fixture
async def spaniard(declarant):
    await declarant.put("/api/teams/current", {"taxId": "12345678Z"})
    return declarant


async def generated(declarant, form, period, year=2026):
    return await declarant.generated(country="ES", form=form, year=year, period=period)


async def filed(declarant, form, period, year=2026):
    return await declarant.submitted(await generated(declarant, form, period, year))


def accepting(draft):
    return f"{PATH}/{draft['id']}/proposals/accept"


async def accepted(declarant, draft, proposal, **fields):
    body = {"proposalId": proposal["id"], **fields}
    return (await declarant.post(accepting(draft), body))["declaration"]


def named(draft):
    """Documents of each proposal, by its kind."""
    return {one["kind"]: [document["documentId"] for document in one["documents"]] for one in draft["proposals"]}


async def test_a_retention_is_declared_when_it_is_paid_and_once(spaniard):
    """RD 439/2007, art. 78.1: a bill of March paid in April belongs to the second quarter."""
    bill = await spaniard.spent(363, "2026-03-20", status="pending", **PROFESSIONAL)

    first = await filed(spaniard, "111", "Q1")
    await spaniard.put(f"/api/expenses/{bill['id']}", {"status": "paid", "paidAt": "2026-04-10"})
    second = await filed(spaniard, "111", "Q2")
    year = await generated(spaniard, "190", "Y")

    assert first["boxes"]["09"] == 0
    assert [one["documentIds"] for one in first["warnings"] if "withheld_when_paid" in one["code"]] == [[bill["id"]]]
    assert (second["boxes"]["09"], second["proposals"]) == (45, [])
    assert year["boxes"]["03"] == 45


async def test_a_late_purchase_is_deducted_in_the_open_period(spaniard):
    """LIVA, art. 99.Tres: in the return of any of the next four years."""
    await filed(spaniard, "303", "Q1")
    bill = await spaniard.spent(121, "2026-03-10")

    draft = await generated(spaniard, "303", "Q2")
    [proposal] = draft["proposals"]
    after = await accepted(spaniard, draft, proposal)
    first = (await spaniard.get(f"{PATH}?form=303&period=Q1&year=2026"))["declarations"][0]

    assert draft["boxes"]["29"] == 0
    assert (proposal["kind"], proposal["period"]) == ("deduct_now", "Q1")
    assert proposal["documents"][0]["boxes"] == [
        {"box": "28", "before": None, "after": 100},
        {"box": "29", "before": None, "after": 21},
    ]
    assert [one["documentIds"] for one in draft["warnings"] if one["code"] == "earlier_period_changed"] == [
        [bill["id"]]
    ]
    assert (after["id"], after["boxes"]["29"], after["proposals"]) == (draft["id"], 21, [])
    assert (await spaniard.read(first))["documentChanges"] == []


async def test_a_late_supplier_invoice_is_deducted_in_the_open_period(spaniard):
    await filed(spaniard, "303", "Q1")
    vendor = await create_vendor(spaniard, "Papel SL", taxId="B58818501", country="ES")
    terms = {"vendorId": vendor, "invoiceNumber": "7", "invoiceDate": "2026-03-10", "total": 121, "taxRate": 21}
    invoice = await spaniard.post(INVOICES, terms)

    draft = await generated(spaniard, "303", "Q2")
    after = await accepted(spaniard, draft, draft["proposals"][0])

    assert after["boxes"]["29"] == 21
    moved = (await spaniard.get(f"{INVOICES}/{invoice['id']}"))["deductionDate"]
    assert "2026-04-01" <= moved <= "2026-06-30"


async def test_a_late_sale_amends_the_period_that_lacks_it(spaniard):
    first = await filed(spaniard, "303", "Q1")
    sale = await spaniard.sold(1000, "2026-03-30")

    draft = await generated(spaniard, "303", "Q2")
    [proposal] = draft["proposals"]
    refused = await spaniard.refused(400, "POST", accepting(draft), {"proposalId": proposal["id"]})
    amendment = await accepted(spaniard, draft, proposal, amends=AMENDS)
    begun = (await spaniard.read(draft))["proposals"][0]
    await spaniard.submitted(amendment)

    assert (draft["boxes"]["09"], named(draft)) == (0, {"complete": [sale["id"]]})
    assert refused["errors"][0]["field"] == "amends"
    assert (amendment["complementaryOf"], amendment["boxes"]["09"]) == (first["id"], 210)
    assert begun["amendmentId"] == amendment["id"]
    assert (await spaniard.read(draft))["proposals"] == []


async def test_a_filed_bill_that_moves_to_the_next_quarter_is_not_deducted_again(spaniard):
    bill = await spaniard.spent(121, "2026-03-10")
    await filed(spaniard, "303", "Q1")
    await spaniard.put(f"/api/expenses/{bill['id']}", {"deductionDate": "2026-04-10"})

    second = await generated(spaniard, "303", "Q2")

    assert (second["boxes"]["29"], second["proposals"]) == (0, [])


async def test_a_filed_declaration_shows_the_difference_of_each_document(spaniard):
    changed, deleted = await spaniard.spent(121, "2026-03-10"), await spaniard.spent(242, "2026-03-11")
    first = await filed(spaniard, "303", "Q1")
    await spaniard.put(f"/api/expenses/{changed['id']}", {"amount": 60.5})
    await spaniard.delete(f"/api/expenses/{deleted['id']}")

    read = await spaniard.read(first)
    draft = await generated(spaniard, "303", "Q2")

    shown = {one["documentId"]: one["boxes"][1] for one in read["documentChanges"]}
    assert shown == {
        changed["id"]: {"box": "29", "before": 21, "after": 10.5},
        deleted["id"]: {"box": "29", "before": 42, "after": None},
    }
    assert named(draft) == {"complete": [changed["id"], deleted["id"]]}
    assert "52.5" in draft["proposals"][0]["message"].replace("52.50", "52.5")


async def test_a_proposal_that_no_longer_fits_is_superseded_and_says_why(spaniard):
    await filed(spaniard, "303", "Q1")
    bill = await spaniard.spent(121, "2026-03-10")
    draft = await generated(spaniard, "303", "Q2")
    body = {"proposalId": draft["proposals"][0]["id"]}

    await spaniard.put(f"/api/expenses/{bill['id']}", {"amount": 60.5})
    changed = await spaniard.refused(409, "POST", accepting(draft), body)
    await spaniard.delete(f"/api/expenses/{bill['id']}")
    settled = await spaniard.refused(409, "POST", accepting(draft), body)

    assert {changed["code"], settled["code"]} == {"PROPOSAL_SUPERSEDED"}
    assert "have changed" in changed["detail"]
    assert "Nothing is left" in settled["detail"]


async def test_what_is_no_proposal_is_not_found(spaniard):
    draft = await generated(spaniard, "303", "Q2")

    await spaniard.refused(404, "POST", accepting(draft), {"proposalId": "none"})


async def test_nobody_accepts_for_what_is_filed(spaniard):
    first = await filed(spaniard, "303", "Q1")

    problem = await spaniard.refused(400, "POST", accepting(first), {"proposalId": "none"})

    assert problem["code"] == "DECLARATION_SUBMITTED"


async def pay_bill(declarant, bill, amount, day):
    payment = {"amount": amount, "paymentMethod": "transfer", "paymentDate": day}
    await declarant.post(f"{INVOICES}/{bill['id']}/payments", payment)


async def test_a_credit_note_lowers_the_quarter_in_which_its_invoice_is_paid(spaniard):
    """Both are of the first quarter; what is left is paid in the second one."""
    vendor = await create_vendor(spaniard, "Gestoría", taxId="12345678Z", country="ES")
    terms = {"vendorId": vendor, "invoiceDate": "2026-02-10", "taxRate": 21, **PROFESSIONAL}
    bill = await spaniard.post(INVOICES, {**terms, "invoiceNumber": "1", "total": 1060})
    await spaniard.post(INVOICES, {**terms, "invoiceNumber": "2", "total": -424, "rectifies": bill["id"]})
    await pay_bill(spaniard, bill, 636, "2026-04-10")

    first, second = [await generated(spaniard, "111", period) for period in ("Q1", "Q2")]
    year = await generated(spaniard, "190", "Y")

    assert [one["boxes"]["09"] for one in (first, second)] == [0, 90]
    assert year["boxes"]["03"] == 90


async def test_what_was_paid_before_its_date_belongs_to_the_filed_quarter(spaniard):
    await filed(spaniard, "111", "Q1")
    bill = await spaniard.spent(363, "2026-04-02", paidAt="2026-03-31", **PROFESSIONAL)

    draft = await generated(spaniard, "111", "Q2")

    assert (draft["boxes"]["09"], named(draft)) == (0, {"complete": [bill["id"]]})


async def test_what_two_drafts_held_is_named_when_both_were_filed(spaniard):
    """The payment moved between their computations."""
    bill = await spaniard.spent(363, "2026-03-20", paidAt="2026-03-30", **PROFESSIONAL)
    first = await generated(spaniard, "111", "Q1")
    await spaniard.put(f"/api/expenses/{bill['id']}", {"paidAt": "2026-04-02"})
    second = await generated(spaniard, "111", "Q2")
    for draft in (first, second):
        await spaniard.submitted(draft)

    third = await generated(spaniard, "111", "Q3")

    assert [(one["kind"], one["period"]) for one in third["proposals"]] == [("rectify", "Q2")]
    assert named(third) == {"rectify": [bill["id"]]}


async def test_what_is_deducted_by_its_payments_is_not_moved(spaniard):
    """LIVA, art. 163 terdecies: a vendor under cash accounting, whose payment was entered late."""
    bill = await spaniard.spent(121, "2026-02-10", status="pending", regimeKey="07")
    for period in ("Q1", "Q2"):
        await filed(spaniard, "303", period)
    await spaniard.put(f"/api/expenses/{bill['id']}", {"status": "paid", "paidAt": "2026-06-30"})

    draft = await generated(spaniard, "303", "Q3")

    assert named(draft) == {"rectify": [bill["id"]]}


async def test_a_proposal_is_accepted_of_the_version_that_was_read(spaniard):
    await filed(spaniard, "303", "Q1")
    await spaniard.spent(121, "2026-03-10")
    draft = await generated(spaniard, "303", "Q2")
    body = {"proposalId": draft["proposals"][0]["id"]}

    await spaniard.refused(412, "POST", accepting(draft), body, **{"If-Match": '"99"'})
