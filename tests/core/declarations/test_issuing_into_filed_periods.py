"""Issuing an invoice into a period whose declaration has been submitted is warned of, and names it."""


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
