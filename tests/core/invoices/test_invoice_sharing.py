"""Public links: unguessable, read-only, the same until revoked."""

import re

import pytest

from support.database import row_counts


async def share(ana, invoice: dict) -> dict:
    return await ana.post(f"/api/invoices/{invoice['id']}/share")


async def test_the_link_stays_the_same_until_it_is_revoked(ana, client):
    made = await ana.invoice()

    first, second = await share(ana, made), await share(ana, made)
    gone = await ana.delete(f"/api/invoices/{made['id']}/share")
    third = await share(ana, made)

    assert first == second
    assert first["shareUrl"] == f"http://127.0.0.1:8000/s/{first['shareToken']}"
    assert re.fullmatch("[A-Za-z0-9_-]{43}", first["shareToken"])
    assert gone == {"ok": True}
    assert third["shareToken"] != first["shareToken"]
    assert (await client.get(f"/s/{first['shareToken']}")).status_code == 404
    assert (await client.get(f"/s/{first['shareToken']}/pdf")).status_code == 404


async def test_revoking_what_is_not_shared_is_a_404(ana):
    made = await ana.invoice()

    problem = await ana.refused(404, "DELETE", f"/api/invoices/{made['id']}/share")

    assert problem["code"] == "NOT_FOUND"


async def test_the_page_shows_the_invoice_to_people_only(kernel, ana, client):
    made = await ana.invoice(notes="Gracias por su confianza")
    link = await share(ana, made)
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
    made = await ana.invoice()
    link = await share(ana, made)

    shown = await ana.get(f"/api/invoices/{made['id']}")

    assert {name: shown[name] for name in link} == link
