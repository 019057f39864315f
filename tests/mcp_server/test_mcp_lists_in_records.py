"""Lists within records: the newest first, all of them counted, and a call that shows the rest."""

from pydantic_core import to_json

from ledgerkit.clock import today
from support.periods import YEAR, quarter

OPEN, MOVEMENTS, ENTRIES = 23, 33, 14


async def rest_of(agent, answer, listed):
    """Records of a list within an answer, by a reader who follows `more` and then nothing but nextCursor."""
    records, call = list(answer[listed]), answer.get("more")
    while call:
        page = await agent.ok(call["tool"], **call["arguments"])
        listed = listed if listed in page else "items"
        records += page[listed]
        arguments = {**call["arguments"], "cursor": page["nextCursor"]}
        call = {**call, "arguments": arguments} if page["nextCursor"] else None
    return records


async def pages(agent, tool, listed, **arguments):
    page = await agent.ok(tool, **arguments)
    yield page
    while page["nextCursor"]:
        page = await agent.ok(tool, **arguments, cursor=page["nextCursor"])
        assert page[listed]
        yield page


async def test_the_open_invoices_of_a_client_are_counted_and_the_rest_is_one_call_away(site):
    ana = await site.person()
    agent = site.agent(ana)
    rows = [
        {
            "number": f"A-{n}",
            "issueDate": f"{YEAR - 1}-03-{n + 1:02}",
            "clientName": "Norte",
            "base": 100,
            "taxRate": 21,
        }
        for n in range(OPEN)
    ]
    await ana.post("/api/invoices/import", {"rows": rows})
    [client] = await ana.get("/api/clients")

    answer = await agent.ok("get_client", id=client["id"])

    assert answer["openInvoiceCount"] == OPEN
    assert len(answer["openInvoices"]) == 10
    every = await rest_of(agent, answer, "openInvoices")
    assert sorted(one["number"] for one in every) == sorted(row["number"] for row in rows)


async def test_a_client_with_few_open_invoices_needs_no_further_call(site):
    ana = await site.person()
    invoice = await ana.invoice()

    answer = await site.agent(ana).ok("get_client", id=invoice["clientId"])

    assert answer["openInvoiceCount"] == 0
    assert "more" not in answer


async def test_a_movement_is_answered_with_itself_and_the_totals(site):
    agent = site.agent(await site.person())
    till = await agent.ok("open_cash_register", openingAmount=100)
    for number in range(MOVEMENTS):
        made = await agent.ok(
            "add_cash_movement", id=till["id"], type="cash_in", amount=1, description=f"Cambio {number}"
        )

    assert made["movement"]["description"] == f"Cambio {MOVEMENTS - 1}"
    assert (made["movementCount"], made["expectedAmount"]) == (MOVEMENTS, 100 + MOVEMENTS)
    assert "movements" not in made
    assert len(to_json(made)) < 1_000
    described = []
    async for page in pages(agent, "get_cash_register", "movements", limit=10):
        described += [one["description"] for one in page["movements"]]
        assert page["movementCount"] == MOVEMENTS
    assert described == [f"Cambio {number}" for number in reversed(range(MOVEMENTS))]
    closed = await agent.ok("close_cash_register", id=till["id"], closingAmount=133)
    assert "movements" not in closed
    assert len(to_json(closed)) < 1_000


async def test_a_long_day_at_the_till_is_read_in_full_detail(site):
    agent = site.agent(await site.person())
    till = await agent.ok("open_cash_register", openingAmount=100)
    for number in range(40):
        remark = f"{number} " + "x" * 480
        await agent.ok("add_cash_movement", id=till["id"], type="cash_in", amount=1, description=remark)

    described = []
    async for page in pages(agent, "get_cash_register", "movements", limit=100, detail="full"):
        described += [one["description"].partition(" ")[0] for one in page["movements"]]
        assert "truncated" not in page

    assert described == [str(number) for number in reversed(range(40))]


async def test_what_a_sale_shows_beforehand_is_what_it_answers(site):
    agent = site.agent(await site.person())
    till = await agent.ok("open_cash_register", openingAmount=100)
    sale = {"id": till["id"], "type": "sale", "amount": 12.1, "description": "Café", "taxRate": 21}

    preview = await agent.preview("add_cash_movement", **sale)
    sold = await agent.ok("add_cash_movement", **sale)

    assert preview["answer"].keys() == sold.keys()
    assert preview["answer"]["movement"]["description"] == "Café"


async def test_the_documents_of_a_box_come_in_pages(site):
    ana = await site.person()
    agent = site.agent(ana)
    for _ in range(5):
        invoice = await ana.invoice()
        await agent.ok("emit_einvoice", invoiceId=invoice["id"])
    period = quarter(today("Europe/Madrid"))
    form = await agent.ok("generate_tax_declaration", country="ES", form="303", year=YEAR, period=period)

    behind = await ana.get(f"/api/tax-declarations/{form['id']}/evidence?box=07")
    seen, of_box = [], {"id": form["id"], "box": "07"}
    async for page in pages(agent, "get_tax_declaration", "documents", **of_box, limit=2):
        seen += [document["documentId"] for document in page["documents"]]
        assert page["total"] == 5
        assert page["boxes"]["07"]["value"] == sum(each["amount"] for each in behind)

    assert len(seen) == len(set(seen)) == 5


async def test_a_task_shows_what_was_done_to_it_last_and_where_the_rest_is(site):
    agent = site.agent(await site.person())
    task = await agent.ok("save_task", title="Llamar")
    for number in range(ENTRIES - 1):
        await agent.ok("save_task", id=task["id"], title=f"Llamar {number}")

    answer = await agent.ok("get_task", id=task["id"])

    assert answer["historyCount"] == ENTRIES
    assert len(answer["history"]) == 10
    assert answer["history"][0]["changes"]["title"]["to"] == f"Llamar {ENTRIES - 2}"
    assert answer["history"][0].keys() == {"createdAt", "userName", "action", "changes"}
    rest = await agent.ok(answer["more"]["tool"], **answer["more"]["arguments"])
    assert rest["total"] == ENTRIES


async def test_pending_invitations_come_in_pages(site):
    agent = site.agent(await site.person())
    for number in range(3):
        await agent.ok("invite_member", email=f"nadie{number}@example.com", role="viewer")

    read = [page async for page in pages(agent, "get_team", "pendingInvitations", limit=2)]

    addresses = [one["email"] for page in read for one in page["pendingInvitations"]]
    assert addresses == ["nadie2@example.com", "nadie1@example.com", "nadie0@example.com"]
    assert [page["pendingInvitationCount"] for page in read] == [3, 3]
    assert "team" not in read[1]


async def test_a_search_names_the_call_that_shows_more_of_a_type(site):
    ana = await site.person()
    agent = site.agent(ana)
    for number in range(23):
        await ana.post("/api/clients", {"name": f"Norte {number}"})

    few = await agent.ok("search", q="norte")
    [further] = few["more"]
    many = await agent.ok(further["tool"], **further["arguments"])
    [last] = many["more"]
    every = await agent.ok(last["tool"], **last["arguments"], limit=100)

    assert (further["type"], len(few["items"]), len(many["items"])) == ("client", 5, 20)
    assert every["total"] == len(every["items"]) == 23
