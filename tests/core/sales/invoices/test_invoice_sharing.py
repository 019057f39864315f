"""Public links: unguessable, read-only, the same until revoked."""

import asyncio
import os
import re
import signal
from contextlib import contextmanager

import pytest

from ledgerkit.core.sales.invoices.pdf import PdfPrinter, PrintLimits
from support.database import row_counts
from support.office import until


async def share(ana, invoice: dict) -> dict:
    return await ana.post(f"/api/invoices/{invoice['id']}/share")


async def test_the_link_stays_the_same_until_it_is_revoked(ana, client):
    invoice = await ana.invoice()

    first, second = await share(ana, invoice), await share(ana, invoice)
    gone = await ana.delete(f"/api/invoices/{invoice['id']}/share")
    third = await share(ana, invoice)

    assert first == second
    assert first["shareUrl"] == f"http://127.0.0.1:8000/s/{first['shareToken']}"
    assert re.fullmatch("[A-Za-z0-9_-]{43}", first["shareToken"])
    assert gone == {"ok": True}
    assert third["shareToken"] != first["shareToken"]
    assert (await client.get(f"/s/{first['shareToken']}")).status_code == 404
    assert (await client.get(f"/s/{first['shareToken']}/pdf")).status_code == 404


async def test_revoking_what_is_not_shared_is_a_404(ana):
    invoice = await ana.invoice()

    problem = await ana.refused(404, "DELETE", f"/api/invoices/{invoice['id']}/share")

    assert problem["code"] == "NOT_FOUND"


async def test_the_page_shows_the_invoice_to_people_only(kernel, ana, client):
    invoice = await ana.invoice(notes="Gracias por su confianza")
    link = await share(ana, invoice)
    before = await row_counts(kernel)

    page = await client.get(f"/s/{link['shareToken']}")

    assert page.headers["content-type"].startswith("text/html")
    assert "noindex" in page.headers["x-robots-tag"]
    assert (
        "script-src" not in page.headers["content-security-policy"]
        or "'none'" in page.headers["content-security-policy"]
    )
    assert "<script" not in page.text.lower()
    for text in ("Talleres Norte", "Ana Ruiz", "Borrador", "Gracias por su confianza", f"{link['shareToken']}/pdf"):
        assert text in page.text
    assert not re.findall(r"""(?:src|href)=["']?https?://""", page.text)
    assert await row_counts(kernel) == before


@pytest.mark.parametrize("token", ["x", "A" * 43, "%00", "a" * 5000])
async def test_an_unknown_link_shows_nothing(client, token):
    page = await client.get(f"/s/{token}")

    assert page.status_code == 404
    assert "noindex" in page.headers["x-robots-tag"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_the_page_is_read_only(ana, client, method):
    link = await share(ana, await ana.invoice())

    assert (await client.request(method, f"/s/{link['shareToken']}")).status_code == 405


async def test_the_invoice_shows_its_link(ana):
    invoice = await ana.invoice()
    link = await share(ana, invoice)

    shown = await ana.get(f"/api/invoices/{invoice['id']}")

    assert {name: shown[name] for name in link} == link


@pytest.fixture
async def printing(kernel):
    """The lane of ordinary documents, which give it all the time that it wants."""
    printer = kernel.services[PdfPrinter] = PdfPrinter(limits=PrintLimits(light_seconds=60, seconds=60))
    await printer.start()
    yield printer._light
    await printer.stop()


@contextmanager
def standing_still(lane):
    """Nothing is printed until the block ends."""
    (process,) = lane.processes()
    os.kill(process.pid, signal.SIGSTOP)
    yield
    os.kill(process.pid, signal.SIGCONT)


async def test_visitors_of_links_leave_room_for_the_account_itself(ana, client, printing):
    shared = [await share(ana, await ana.invoice(notes=f"{number}")) for number in range(13)]
    own_invoice = await ana.invoice(notes="of the account")

    with standing_still(printing):
        visits = [asyncio.create_task(client.get(f"/s/{one['shareToken']}/pdf")) for one in shared]
        await until(lambda: sum(visit.done() for visit in visits) == 2)
        printed = asyncio.create_task(client.get(f"/api/invoices/{own_invoice['id']}/pdf", headers=ana.headers))
        await until(lambda: printed.done() or sum(map(len, printing._waiting.values())) == 11)

    assert (await printed).status_code == 200
    assert sorted(one.status_code for one in await asyncio.gather(*visits)) == [200] * 11 + [503] * 2


async def issued(ana) -> dict:
    return await ana.patch(f"/api/invoices/{(await ana.invoice())['id']}/pay")


async def viewed_at(ana, invoice: dict) -> str | None:
    return (await ana.get(f"/api/invoices/{invoice['id']}"))["viewedAt"]


@pytest.mark.parametrize("ending", ["", "/pdf"])
async def test_the_first_opening_of_an_issued_invoice_is_kept(ana, client, ending):
    invoice = await issued(ana)
    link = await share(ana, invoice)
    address = f"/s/{link['shareToken']}{ending}"
    before = await viewed_at(ana, invoice)

    first = await client.get(address)
    opened_at = await viewed_at(ana, invoice)
    again = await client.get(address)

    assert (before, first.status_code, again.status_code) == (None, 200, 200)
    assert opened_at is not None
    assert await viewed_at(ana, invoice) == opened_at
    entries = await ana.get("/api/invoices/activity/feed")
    assert [(one["userName"], one["entityId"]) for one in entries if one["action"] == "opened"] == [
        ("public link", invoice["id"])
    ]


async def test_neither_a_draft_nor_a_look_at_the_headers_nor_ones_own_browser_counts_as_opened(ana, client):
    draft, invoice = await ana.invoice(), await issued(ana)
    of_draft, of_invoice = await share(ana, draft), await share(ana, invoice)
    version = (await client.get(f"/api/invoices/{draft['id']}", headers=ana.headers)).headers["etag"]

    await client.get(f"/s/{of_draft['shareToken']}")
    await client.head(f"/s/{of_invoice['shareToken']}")
    await client.get(f"/s/{of_invoice['shareToken']}", headers={"Cookie": "ledgerkit_session=anything"})

    assert (await viewed_at(ana, draft), await viewed_at(ana, invoice)) == (None, None)
    assert (await client.get(f"/api/invoices/{draft['id']}", headers=ana.headers)).headers["etag"] == version


async def test_openings_at_the_same_moment_are_one(ana, client):
    invoice = await issued(ana)
    link = await share(ana, invoice)

    answers = await asyncio.gather(*(client.get(f"/s/{link['shareToken']}") for _ in range(6)))

    assert [answer.status_code for answer in answers] == [200] * 6
    entries = await ana.get("/api/invoices/activity/feed")
    assert [one["action"] for one in entries].count("opened") == 1


async def test_a_copy_and_a_new_link_begin_unopened_and_the_old_opening_stays(ana, client):
    invoice = await issued(ana)
    await client.get(f"/s/{(await share(ana, invoice))['shareToken']}")
    opened_at = await viewed_at(ana, invoice)

    copy = await ana.post(f"/api/invoices/{invoice['id']}/duplicate")
    await ana.delete(f"/api/invoices/{invoice['id']}/share")

    assert copy["viewedAt"] is None
    assert await viewed_at(ana, invoice) == opened_at
