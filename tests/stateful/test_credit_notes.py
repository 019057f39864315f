"""What credit notes leave behind when they, or what they correct, leave the books again."""

from uuid import UUID

import pytest

from ledgerkit.core.identity import accounts
from ledgerkit.core.invoices import lifecycle
from support.api import item


async def sent(ana, invoice):
    """Issued by mail: neither paid nor reported."""
    return (await ana.patch(f"/api/invoices/{invoice['id']}/send"))["invoice"]


@pytest.fixture
async def original(ana):
    return await sent(ana, await ana.invoice())


@pytest.fixture
async def draft_note(ana, original):
    whole = item(unitPrice=-1200, description="Abono")
    return await ana.invoice(docType="credit_note", rectifies=original["id"], items=[whole])


async def figures(ana) -> tuple[int, float, float]:
    [client] = await ana.get("/api/clients")
    return client["invoiceCount"], client["totalInvoiced"], client["balance"]


async def balance(ana, invoice) -> float:
    return (await ana.get(f"/api/invoices/{invoice['id']}"))["balance"]


async def test_a_note_for_all_settles_what_it_corrects(ana, original, draft_note):
    note = await sent(ana, draft_note)

    assert (await balance(ana, original), await balance(ana, note)) == (0, 0)
    assert await figures(ana) == (2, 0, 0)


async def test_deleting_the_note_brings_back_what_is_owed(ana, original, draft_note):
    note = await sent(ana, draft_note)

    await ana.delete(f"/api/invoices/{note['id']}")

    assert await balance(ana, original) == 1452
    assert await figures(ana) == (1, 1452, 1452)


async def test_a_credited_invoice_can_be_deleted_and_its_note_after_it(ana, original, draft_note):
    note = await sent(ana, draft_note)

    await ana.delete(f"/api/invoices/{original['id']}")
    between = await figures(ana)
    await ana.delete(f"/api/invoices/{note['id']}")

    assert between == (1, -1452, 0)
    assert await figures(ana) == (0, 0, 0)


async def test_a_note_of_a_voided_invoice_is_owed_to_the_client(ana, original, draft_note):
    await ana.delete(f"/api/invoices/{original['id']}")

    note = await sent(ana, draft_note)

    assert await balance(ana, note) == -1452
    assert await figures(ana) == (1, -1452, -1452)


async def test_a_note_whose_mail_was_refused_settles_nothing(ana, kernel, original, draft_note):
    ctx = await accounts.system_context(kernel, UUID(ana.team["id"]))
    async with ctx.transaction() as inner:
        issued = await lifecycle.issue(inner, await lifecycle.locked(inner, draft_note["id"]))

    async with ctx.transaction() as inner:
        assert await lifecycle.withdraw(inner, issued)

    assert await balance(ana, original) == 1452
    assert await figures(ana) == (1, 1452, 1452)
    assert await balance(ana, await sent(ana, draft_note)) == 0
    assert await balance(ana, original) == 0
