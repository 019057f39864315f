"""A rejected invoice is seen by whoever lists invoices, begins a conversation, asks for the state or mails it."""

import pytest

from support.api import invoice_body, item


@pytest.fixture
async def ana(site):
    return await site.person()


@pytest.fixture
async def rejected(site, ana):
    lines = [item(description="Diseño [sandbox:reject 1124]")]
    invoice = await ana.post("/api/invoices", invoice_body(items=lines))
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return await ana.get(f"/api/invoices/{invoice['id']}")


@pytest.fixture
def agent(site, ana):
    return site.agent(ana, **{"Accept-Language": "es"})


async def test_the_list_says_that_it_is_rejected_and_why(agent, ana, rejected):
    accepted = await ana.post("/api/invoices", invoice_body())
    await ana.post("/api/einvoice/emit", {"invoiceId": accepted["id"]})
    await ana.post("/api/invoices", invoice_body())

    rows = (await agent.ok("list_invoices"))["items"]

    by_id = {row["id"]: row for row in rows}
    assert by_id[rejected["id"]]["fiscalStatus"] == "rejected"
    assert by_id[rejected["id"]]["fiscalError"].startswith("1124: ")
    others = [row for row in rows if row["id"] != rejected["id"]]
    assert len(others) == 2
    assert not any(name.startswith(("fiscal", "einvoice")) for row in others for name in row)


async def test_the_snapshot_has_it_with_the_tools_that_correct_it(agent, rejected):
    alerts = (await agent.ok("get_business_context"))["fiscalAlerts"]

    assert (alerts["needsAction"], alerts["rejected"]) == (1, 1)
    [alert] = alerts["newest"]
    assert (alert["invoiceId"], alert["number"], alert["code"]) == (rejected["id"], rejected["number"], "1124")
    assert alert["nextStep"] == "`update_invoice` y después `emit_einvoice {invoiceId}`"


async def test_the_snapshot_is_silent_where_nothing_is_to_be_done(agent, ana):
    draft = await ana.post("/api/invoices", invoice_body())
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})

    assert "fiscalAlerts" not in await agent.ok("get_business_context")


async def test_the_state_of_einvoicing_counts_what_needs_action(agent, rejected):
    shown = await agent.ok("get_einvoice_status")

    assert (shown["fiscalAlerts"]["needsAction"], shown["fiscalAlerts"]["newest"][0]["number"]) == (
        1,
        rejected["number"],
    )


async def test_mailing_it_is_asked_about_with_a_warning(agent, rejected):
    preview = await agent.preview("send_invoice", id=rejected["id"])
    sent = await agent.ok("send_invoice", id=rejected["id"])

    assert "Atención: la administración tributaria ha rechazado esta factura" in preview["question"]
    assert sent["invoice"]["warnings"][0].startswith("REJECTED_BY_AUTHORITY: ")


async def test_it_is_corrected_as_the_alert_says(agent, rejected):
    await agent.ok("update_invoice", id=rejected["id"], items=[item(description="Diseño")])
    await agent.ok("emit_einvoice", invoiceId=rejected["id"])

    assert "fiscalAlerts" not in await agent.ok("get_business_context")
    assert "fiscalStatus" not in (await agent.ok("list_invoices"))["items"][0]


async def test_a_search_shows_the_fiscal_standing_first(agent, ana, rejected):
    invoice = await ana.post("/api/invoices", invoice_body())
    record = await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    await ana.post("/api/einvoice/annul", {"fiscalId": record["fiscalId"], "reason": "Duplicada"})

    hits = (await agent.ok("search", q=invoice["client"]["name"], types=["invoice"]))["items"]

    standing = {hit["id"]: hit["detail"].rpartition(" · ")[2] for hit in hits}
    assert standing == {invoice["id"]: "annulled", rejected["id"]: "rejected"}


async def test_a_message_with_a_link_or_a_hidden_account_is_warned_about(agent, rejected):
    plain = "Le recuerdo la factura. " * 10
    long = plain * 6
    asked = {}
    for name, words in {
        "plain": plain,
        "long": long,
        "shown account": f"{plain} Pague en ES79 2100 0813 6101 2345 6789",
        "account": f"{long} Pague en ES79 2100 0813 6101 2345 6789",
        "link": "Pague en https://pagos.example/1",
    }.items():
        asked[name] = (await agent.preview("send_invoice", id=rejected["id"], message=words))["question"]

    assert {name: "el asunto o el mensaje nombra una cuenta" in question for name, question in asked.items()} == {
        "plain": False,
        "long": False,
        "shown account": False,
        "account": True,
        "link": True,
    }
    assert "ES79 2100 0813 6101 2345 6789" in asked["shown account"]
    lines = asked["account"].splitlines()
    labels = [line.partition(":")[0] for line in lines]
    assert labels.index("Total") < labels.index("Mensaje") < labels.index("Concepto")


async def test_a_refusal_of_the_authority_says_each_thing_once_and_what_corrects_it(agent, ana):
    lines = [item(description="Diseño [sandbox:reject 1124]")]
    invoice = await ana.post("/api/invoices", invoice_body(items=lines))
    await agent.preview("emit_einvoice", invoiceId=invoice["id"])
    token = (await agent.preview("emit_einvoice", invoiceId=invoice["id"]))["confirmationToken"]

    problem = await agent.refused("emit_einvoice", invoiceId=invoice["id"], confirmation_token=token)

    assert problem["code"] == "AUTHORITY_REJECTED"
    assert problem["nextStep"] == "`update_invoice` y después `emit_einvoice {invoiceId}`"
    assert problem["result"]["invoiceId"] == invoice["id"]
    assert str(problem).count("El tipo de IVA no es ninguno") == 1
    assert len(str(problem).encode()) < 900


async def test_the_remedy_of_a_rejected_record_does_not_contradict_the_next_step(agent, rejected):
    [alert] = (await agent.ok("get_business_context"))["fiscalAlerts"]["newest"]

    assert "correct: true" not in alert["remedy"] or "si la AEAT la tiene" in alert["remedy"]
