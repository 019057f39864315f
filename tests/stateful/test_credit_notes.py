"""Books and stock after credit notes, or the invoices they correct, leave the books again."""

from uuid import UUID

import pytest

from ledgerkit.core.platform.database.row_types import Values
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.table import InvoiceRow
from support.api import item
from support.issuing import issued

pytestmark = pytest.mark.usefixtures("unreported")


@pytest.fixture
def issue(ana, kernel):
    """Issues a draft as a mail does, without printing and posting it; gives its row."""
    return lambda draft: issued(kernel, ana, draft)


@pytest.fixture
async def original(ana, issue):
    draft = await ana.invoice()
    await issue(draft)
    return draft


@pytest.fixture
async def note(ana, original):
    """A draft that gives back all of it."""
    whole = item(unitPrice=-1200, description="Abono")
    return await ana.invoice(docType="credit_note", rectifies=original["id"], items=[whole])


async def figures(ana) -> tuple[int, float, float]:
    [client] = await ana.get("/api/clients")
    return client["invoiceCount"], client["totalInvoiced"], client["balance"]


async def balance(ana, invoice) -> float:
    return (await ana.get(f"/api/invoices/{invoice['id']}"))["balance"]


async def test_a_note_for_all_settles_what_it_corrects(ana, issue, original, note):
    await issue(note)

    assert (await balance(ana, original), await balance(ana, note)) == (0, 0)
    assert await figures(ana) == (2, 0, 0)


async def test_deleting_the_note_brings_back_what_is_owed(ana, issue, original, note):
    await issue(note)

    await ana.delete(f"/api/invoices/{note['id']}")

    assert await balance(ana, original) == 1452
    assert await figures(ana) == (1, 1452, 1452)


async def test_a_credited_invoice_can_be_deleted_and_its_note_after_it(ana, issue, original, note):
    await issue(note)

    await ana.delete(f"/api/invoices/{original['id']}")
    between = await figures(ana)
    await ana.delete(f"/api/invoices/{note['id']}")

    assert between == (1, -1452, 0)
    assert await figures(ana) == (0, 0, 0)


async def test_a_note_of_a_voided_invoice_is_owed_to_the_client(ana, issue, original, note):
    await ana.delete(f"/api/invoices/{original['id']}")

    await issue(note)

    assert await balance(ana, note) == -1452
    assert await figures(ana) == (1, -1452, -1452)


async def test_a_note_whose_mail_was_refused_settles_nothing(ana, kernel, issue, original, note):
    row = await issue(note)
    ctx = await accounts.system_context(kernel, UUID(ana.team["id"]))

    async with ctx.transaction() as inner:
        withdrawn = await lifecycle.withdraw(inner, row, Values(InvoiceRow))

    assert withdrawn
    assert await balance(ana, original) == 1452
    assert await figures(ana) == (1, 1452, 1452)
    await issue(note)
    assert (await balance(ana, original), await balance(ana, note)) == (0, 0)
