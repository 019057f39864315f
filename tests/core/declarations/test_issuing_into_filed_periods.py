"""Drafting and issuing into a period whose declaration has been submitted is warned of, and names it."""

from support.api import invoice_body


def codes(warnings):
    return [one.partition(":")[0] for one in warnings]


async def test_the_declaration_is_named_before_and_after(declarant):
    await declarant.submitted(await declarant.generated())
    late = await declarant.invoice(issueDate="2026-09-30")

    before = (await declarant.get(f"/api/invoices/{late['id']}"))["warnings"]
    after = (await declarant.patch(f"/api/invoices/{late['id']}/pay"))["warnings"]

    assert codes(before) == codes(after) == ["ISSUE_DATE_KEPT", "PERIOD_FILED"]
    assert "2026 Q3" in after[1]


async def test_a_draft_declaration_warns_of_nothing(declarant):
    await declarant.generated()
    late = await declarant.invoice(issueDate="2026-09-30")

    assert codes((await declarant.patch(f"/api/invoices/{late['id']}/pay"))["warnings"]) == ["ISSUE_DATE_KEPT"]


async def test_every_answer_about_the_draft_names_it(declarant):
    await declarant.submitted(await declarant.generated())
    body = invoice_body(issueDate="2026-09-30")

    preview = await declarant.post("/api/invoices/preview", body)
    draft = await declarant.post("/api/invoices", body)
    path = f"/api/invoices/{draft['id']}"
    changed = await declarant.put(path, {"notes": "dos"})

    for answer in (preview, draft, await declarant.get(path), changed):
        assert codes(answer["warnings"]) == ["ISSUE_DATE_KEPT", "PERIOD_FILED"]
        assert "2026 Q3" in answer["warnings"][1]


async def test_it_is_named_by_the_day_of_the_operation(declarant):
    await declarant.submitted(await declarant.generated())

    late = await declarant.invoice(operationDate="2026-09-30")
    today = await declarant.invoice()
    moved = await declarant.put(f"/api/invoices/{today['id']}", {"operationDate": "2026-07-01"})
    copy = await declarant.post(f"/api/invoices/{late['id']}/duplicate")

    answers = [codes(one["warnings"]) for one in (late, today, moved, copy)]
    assert answers == [["PERIOD_FILED"], [], ["PERIOD_FILED"], []]
