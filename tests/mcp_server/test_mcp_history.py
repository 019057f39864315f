"""An assistant says what it has changed, and takes it back."""

from support.scopes import with_scoped_key


async def test_an_assistant_takes_back_what_it_has_just_done(site):
    agent = site.agent(await site.person())
    saved = await agent.ok("save_client", name="Talleres Norte", city="Bilbao")
    await agent.ok("save_client", id=saved["id"], city="Lugo")

    history = await agent.ok("get_history", type="client", id=saved["id"])
    undone = await agent.ok("undo")
    after = await agent.ok("get_history", type="client", id=saved["id"], limit=2)

    assert [entry["action"] for entry in history["items"]] == ["updated", "created"]
    assert history["items"][0]["changes"] == {"city": {"from": "Bilbao", "to": "Lugo"}}
    assert [(entry["action"], entry["undone"]) for entry in undone["entries"]] == [("updated", True)]
    assert [entry["action"] for entry in after["items"]] == ["undone", "updated"]
    assert (after["total"], bool(after["nextCursor"])) == (4, True)


async def test_an_assistant_reads_all_that_was_done_about_a_client(site):
    person = await site.person()
    agent = site.agent(person)
    client = await agent.ok("save_client", name="Talleres Norte")
    await agent.ok("save_client", name="Otra")
    draft = await person.invoice(client=None, clientId=client["id"])

    history = await agent.ok("get_history", clientId=client["id"])

    assert [(entry["entityType"], entry["entityId"]) for entry in history["items"]] == [
        ("invoice", draft["id"]),
        ("client", client["id"]),
    ]


async def test_the_remedy_of_an_emitted_invoice_is_a_tool(site):
    ana = await site.person()
    agent = site.agent(ana)
    draft = await ana.invoice()
    await agent.ok("emit_einvoice", invoiceId=draft["id"])

    answer = await agent.ok("undo", type="invoice", id=draft["id"])

    emitted = next(entry for entry in answer["entries"] if entry["action"] == "emitted")
    assert (answer["calls"], emitted.get("undone", False)) == (0, False)
    assert "`create_credit_note`" in emitted["remedy"]
    assert "/api/" not in str(answer)


async def test_a_created_record_and_a_link_are_taken_back_only_after_a_question(site):
    ana = await site.person()
    agent = site.agent(ana)
    saved = await agent.ok("save_client", name="Talleres Norte")

    asked = await agent.preview("undo")
    await ana.get(f"/api/clients/{saved['id']}")
    undone = await agent.ok("undo", confirmation_token=asked["confirmationToken"])

    assert asked["question"].startswith("Deshacer 1 de los últimos cambios")
    assert undone["calls"] == 1


async def test_a_payment_is_taken_back_only_after_a_question(site):
    ana = await site.person()
    agent = site.agent(ana)
    draft = await ana.invoice()
    await agent.ok("emit_einvoice", invoiceId=draft["id"])
    await agent.ok("mark_invoice_paid", id=draft["id"])

    asked = await agent.preview("undo")
    still_paid = await ana.get(f"/api/invoices/{draft['id']}")
    done = await agent.ok("undo", confirmation_token=asked["confirmationToken"])
    invoice = await ana.get(f"/api/invoices/{draft['id']}")

    assert asked["question"].startswith("Deshacer 1 de los últimos cambios")
    assert f"factura {invoice['number']}" in asked["question"]
    assert (still_paid["status"], done["calls"], invoice["status"], invoice["amountPaid"]) == ("paid", 1, "sent", 0)


async def test_the_question_about_a_payment_says_how_much_it_was(site):
    ana = await site.person()
    agent = site.agent(ana)
    draft = await ana.invoice()
    await agent.ok("emit_einvoice", invoiceId=draft["id"])
    await agent.ok("mark_invoice_paid", id=draft["id"], amount=100.5)
    of_part = await agent.preview("undo")
    await agent.ok("mark_invoice_paid", id=draft["id"])
    of_rest = await agent.preview("undo")

    assert "Importe: 100,50 EUR" in of_part["question"]
    assert "sent" not in of_rest["question"]
    assert "Estado: pagado → emitida, sin cobrar" in of_rest["question"]


async def test_what_takes_nothing_back_is_not_proposed(site):
    ana = await site.person()
    agent = site.agent(await with_scoped_key(ana, "read", "propose"))

    problem = await agent.refused("undo")

    assert problem["code"] == "NOT_PROPOSABLE"
    assert problem["answer"]["note"]
    assert await ana.get("/api/approvals") == []


async def test_an_invoice_that_is_emitted_already_is_not_asked_about_again(site):
    ana = await site.person()
    agent = site.agent(ana)
    draft = await ana.invoice()
    emitted = await agent.ok("emit_einvoice", invoiceId=draft["id"])

    again = await agent.call("emit_einvoice", invoiceId=draft["id"])
    other = await agent.preview("emit_einvoice", invoiceId=(await ana.invoice())["id"])

    assert (again.failed, again.body["fiscalId"], again.body["status"]) == (False, emitted["fiscalId"], "accepted")
    assert other["confirmationRequired"]
