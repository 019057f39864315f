"""List of fiscal records: newest first, by status, and those that somebody has to mend."""

from support.api import item
from support.office import emit


async def refused(api, code="1124"):
    """An invoice that the authority refuses with `code`."""
    invoice = await api.invoice(items=[item(description=f"Diseño [sandbox:reject {code}]")])
    await api.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return invoice


async def test_records_are_listed_with_cause_and_remedy_and_the_newest_first(ana):
    accepted = await emit(ana, await ana.invoice())
    rejected = await refused(ana)

    newest, oldest = await ana.get("/api/einvoice/records")

    assert (newest["invoiceId"], newest["status"], newest["position"]) == (rejected["id"], "rejected", 2)
    assert newest["errors"][0]["code"] == "1124"
    assert newest["errors"][0]["cause"]["es"]
    assert newest["errors"][0]["remedy"]["es"]
    assert (newest["needsAction"], newest["isNewest"]) == (True, True)
    assert (oldest["id"], oldest["csv"], oldest["errors"]) == (accepted["id"], accepted["csv"], [])
    assert oldest["needsAction"] is False


async def test_a_correction_leaves_nothing_to_mend(ana):
    invoice = await refused(ana)
    assert len(await ana.get("/api/einvoice/records?needsAction=true")) == 1
    assert (await ana.get("/api/reports/overview"))["fiscal"]["needsAction"] == 1

    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [item(description="Diseño")]})
    await emit(ana, invoice)

    assert await ana.get("/api/einvoice/records?needsAction=true") == []
    assert (await ana.get("/api/reports/overview"))["fiscal"]["needsAction"] == 0
    [correction] = await ana.get("/api/einvoice/records?status=accepted")
    [rejected] = await ana.get("/api/einvoice/records?status=rejected")
    assert (correction["corrects"], rejected["isNewest"]) == (rejected["id"], False)


async def test_a_remark_that_needs_nothing_is_not_to_be_mended(ana):
    for code in ("2004", "2000"):
        remarked = await ana.invoice(items=[item(description=f"Diseño [sandbox:warn {code}]")])
        await emit(ana, remarked)

    [listed] = await ana.get("/api/einvoice/records?needsAction=true")

    assert listed["errors"][0]["code"] == "2000"
    assert len(await ana.get("/api/einvoice/records?status=accepted_with_errors")) == 2


async def test_an_annulment_in_effect_is_listed_as_annulled(ana):
    result = await emit(ana, await ana.invoice())
    await ana.post("/api/einvoice/annul", {"fiscalId": result["fiscalId"], "reason": "Duplicada"})

    [annulled] = await ana.get("/api/einvoice/records?status=annulled")

    assert (annulled["kind"], annulled["reason"]) == ("annul", "Duplicada")
    assert len(await ana.get("/api/einvoice/records?status=accepted")) == 1


async def test_records_are_paged_and_belong_to_one_account(ana, berta):
    for _ in range(3):
        await emit(ana, await ana.invoice())

    page = await ana.request("GET", "/api/einvoice/records?limit=2&page=2")

    assert [record["position"] for record in page.json()] == [1]
    assert page.headers["x-total-count"] == "3"
    assert await berta.get("/api/einvoice/records") == []
