"""Alerts about fiscal records: how many need a correction, and what to do about the newest ones."""

from support.api import item
from support.office import emit

PATH = "/api/einvoice/alerts"


async def refused(api):
    invoice = await api.invoice(items=[item(description="Diseño [sandbox:reject 1124]")])
    await api.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return await api.get(f"/api/invoices/{invoice['id']}")


async def remarked(api):
    return await emit(api, await api.invoice(items=[item(description="Diseño [sandbox:warn 2000]")]))


async def test_without_faults_there_is_nothing_to_do(ana):
    await emit(ana, await ana.invoice())

    shown = await ana.get(PATH)

    assert (shown["needsAction"], shown["rejected"], shown["acceptedWithErrors"], shown["newest"]) == (0, 0, 0, [])


async def test_faulty_records_are_counted_and_the_newest_are_named(ana):
    rejected = [await refused(ana) for _ in range(3)]
    with_errors = await remarked(ana)

    shown = await ana.get(PATH)

    assert (shown["needsAction"], shown["rejected"], shown["acceptedWithErrors"]) == (4, 3, 1)
    assert [alert["invoiceId"] for alert in shown["newest"]] == [
        with_errors["invoiceId"],
        rejected[2]["id"],
        rejected[1]["id"],
    ]
    first, second, _ = shown["newest"]
    assert (first["status"], first["code"]) == ("accepted_with_errors", "2000")
    assert first["nextStep"].endswith("POST /api/einvoice/emit {invoiceId, correct: true}")
    assert (second["status"], second["code"], second["number"]) == ("rejected", "1124", rejected[2]["number"])
    assert second["nextStep"].endswith("POST /api/einvoice/emit {invoiceId}")
    assert second["message"]
    assert second["remedy"]


async def test_it_is_said_in_the_language_of_the_request(ana):
    await refused(ana)

    texts = [(await ana.request("GET", PATH, **{"Accept-Language": each})).json()["newest"][0] for each in ("es", "en")]

    assert texts[0]["message"] != texts[1]["message"]
    assert " y después " in texts[0]["nextStep"]
    assert ", then " in texts[1]["nextStep"]


async def test_a_corrected_record_is_not_named_any_more(ana):
    invoice = await refused(ana)
    await ana.put(f"/api/invoices/{invoice['id']}", {"items": [item(description="Diseño")]})
    await emit(ana, invoice)

    assert (await ana.get(PATH))["needsAction"] == 0


async def test_mailing_a_rejected_invoice_warns(ana):
    invoice = await refused(ana)
    accepted = await emit(ana, await ana.invoice())

    sent = await ana.patch(f"/api/invoices/{invoice['id']}/send")
    elsewhere = await ana.post(f"/api/einvoice/send-email/{invoice['id']}", {"email": "asesor@example.com"})
    fine = await ana.post(f"/api/einvoice/send-email/{accepted['invoiceId']}", {"email": "asesor@example.com"})

    assert [warning.partition(":")[0] for warning in sent["invoice"]["warnings"]] == ["REJECTED_BY_AUTHORITY"]
    assert invoice["number"] in elsewhere["warnings"][0]
    assert fine["warnings"] == []
