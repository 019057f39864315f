"""Views of MCP Apps in a real browser: a small host shows them with real answers of tools."""

import re

import pytest
from playwright.async_api import expect

from support.api import ADDRESS, CLIENT, item
from support.periods import YEAR
from support.scopes import with_scoped_key
from support.views import Assistant, shown

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>{name} &amp; \u202eodal"
SAID = {"ui/initialize", "ui/notifications/initialized", "ui/notifications/size-changed"}
"""Methods of the messages that a view sends of itself."""
LINES = [item(), item(description="Reunión", quantity=2, unitPrice=45.5, discount=10)]
TIMES = "\u00d7"
LOOKS = pytest.mark.parametrize(("theme", "background"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(22, 24, 28)")])


@pytest.fixture
async def ana(site):
    api = await site.owner()
    await api.put("/api/teams/current", ADDRESS)
    return api


async def draft(ana, **fields):
    body = {"client": CLIENT, "items": LINES, "taxRate": 21, "retentionRate": 15, **fields}
    return await ana.post("/api/invoices", body)


async def emitted(ana):
    invoice = await draft(ana)
    await ana.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return invoice["id"]


async def window(visit, **options):
    """A window as wide as a telephone, and the addresses that it asks for."""
    page = await visit.window(width=360, height=800, **options)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    return page, asked


def amounts(*values):
    """Amounts as browsers write them in Spanish, with a space that does not break."""
    return [f"{value}\u00a0€" for value in values]


@pytest.mark.journey
@LOOKS
async def test_an_invoice_in_both_themes(ana, visit, violations, theme, background):
    assistant = Assistant(ana)
    result = await assistant.called("get_invoice", id=await emitted(ana))
    page, asked = await window(visit)

    view = await shown(page, await assistant.page_for("get_invoice"), result, theme=theme, locale="es-ES")

    await expect(view.locator.get_by_role("heading", level=1)).to_have_text(f"F{YEAR}-0001 · {CLIENT['name']}")
    text = await view.text()
    for amount in amounts("1.200,00", "81,90", "1.281,90", "269,20", "192,29", "1.358,81"):
        assert amount in text, text
    assert f"2 {TIMES} 45,50\u00a0€, descuento 10\u00a0%, IVA 21\u00a0%" in text
    assert "Factura · enviada, sin cobrar" in text
    await expect(view.locator.get_by_role("columnheader")).to_have_text(["Concepto", "Importe"])
    assert await view.frame.evaluate("getComputedStyle(document.body).backgroundColor") == background
    assert await view.frame.evaluate("document.documentElement.lang") == "es"
    assert await view.overflow() <= 0
    assert await violations(view.frame) == []
    assert {message["method"] for message in await view.sent()} == SAID
    assert asked == []


async def test_an_invoice_in_english(ana, visit):
    assistant = Assistant(ana)
    result = await assistant.called("create_invoice", client=CLIENT, items=LINES, taxRate=21)
    page, _ = await window(visit)

    view = await shown(page, await assistant.page_for("create_invoice"), result, locale="en-GB")

    await expect(view.locator.get_by_role("heading", level=1)).to_have_text(f"draft · {CLIENT['name']}")
    text = await view.text()
    assert "€1,281.90" in text
    assert f"2 {TIMES} €45.50, discount 10%, VAT 21%" in text


@pytest.mark.parametrize(
    ("locale", "language"), [("ca-ES", "ca"), ("de-AT", "es"), (None, "es"), ("nonsense!", "es"), (42, "es")]
)
async def test_the_language_is_the_hosts_or_the_browsers(ana, visit, locale, language):
    assistant = Assistant(ana)
    result = await assistant.called("get_invoice", id=(await draft(ana))["id"])
    page, _ = await window(visit)

    view = await shown(page, await assistant.page_for("get_invoice"), result, locale=locale)

    await expect(view.locator.locator("table")).to_be_visible()
    assert await view.frame.evaluate("document.documentElement.lang") == language


@pytest.mark.journey
async def test_a_question_is_shown_and_nothing_on_it_confirms(ana, visit, violations):
    assistant = Assistant(ana)
    invoice = await draft(ana)
    result = await assistant.called("emit_einvoice", invoiceId=invoice["id"])
    page, asked = await window(visit)

    view = await shown(page, await assistant.page_for("emit_einvoice"), result, theme="light", locale="es-ES")

    effect = f"Emitir la factura F{YEAR}-0001 y comunicarla a la administración tributaria."
    await expect(view.locator.get_by_role("heading", level=1)).to_have_text(effect)
    await expect(view.locator.locator("dt", has_text="Total")).to_have_count(1)
    await expect(view.locator.locator("dd", has_text="1.358,81 EUR")).to_have_count(1)
    await expect(view.locator.get_by_text("aquí no se confirma nada")).to_be_visible()
    await expect(view.locator.locator("button, a, input, form")).to_have_count(0)
    page_text = await view.frame.evaluate("document.documentElement.outerHTML")
    assert result["structuredContent"]["confirmationToken"] not in page_text
    assert result["structuredContent"]["confirmationToken"] not in str(await view.sent())
    assert {message["method"] for message in await view.sent()} == SAID
    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["status"] == "draft"
    assert await view.overflow() <= 0
    assert await violations(view.frame) == []
    assert asked == []


@pytest.mark.journey
@LOOKS
async def test_a_proposal_leads_to_the_web_app(ana, visit, violations, theme, background):
    robot = await with_scoped_key(ana, "read", "propose")
    assistant = Assistant(robot)
    result = await assistant.called("emit_einvoice", invoiceId=(await draft(ana))["id"])
    url = result["structuredContent"]["url"]
    page, asked = await window(visit)

    view = await shown(page, await assistant.page_for("emit_einvoice"), result, theme=theme, locale="es-ES")
    await view.locator.get_by_role("button", name="Abrir en la aplicación web").click()
    await page.wait_for_function("messages.some(({ method }) => method === 'ui/open-link')")

    assert re.search(r"/approve/[0-9a-f-]+$", url)
    await expect(view.locator.get_by_text(url)).to_be_visible()
    await expect(view.locator.get_by_role("button")).to_have_count(1)
    (opened,) = [message for message in await view.sent() if message["method"] not in SAID]
    assert (opened["method"], opened["params"]) == ("ui/open-link", {"url": url})
    assert (await ana.get(f"/api/approvals/{result['structuredContent']['approvalId']}"))["status"] == "pending"
    assert await view.frame.evaluate("getComputedStyle(document.body).backgroundColor") == background
    assert await violations(view.frame) == []
    assert asked == []


async def test_a_host_that_opens_no_links_shows_the_address(ana, visit):
    assistant = Assistant(await with_scoped_key(ana, "read", "propose"))
    result = await assistant.called("create_invoice", client=CLIENT, items=LINES)
    page, _ = await window(visit)

    view = await shown(page, await assistant.page_for("create_invoice"), result, opens_links=False)

    await expect(view.locator.get_by_text(result["structuredContent"]["url"])).to_be_visible()
    await expect(view.locator.get_by_role("button")).to_have_count(0)


@pytest.mark.journey
async def test_a_tax_form_shows_its_boxes(ana, visit, violations):
    await emitted(ana)
    assistant = Assistant(ana)
    today = (await ana.get("/api/invoices"))[0]["issueDate"]
    period = {"country": "ES", "year": int(today[:4]), "period": f"Q{(int(today[5:7]) + 2) // 3}", "form": "303"}
    form = (await assistant.called("generate_tax_declaration", **period))["structuredContent"]
    result = await assistant.called("update_tax_declaration", id=form["id"], manualOverrides={"28": 1000.5})
    in_full = await assistant.called("get_tax_declaration", id=form["id"], detail="full")
    html = await assistant.page_for("update_tax_declaration")
    page, asked = await window(visit)

    view = await shown(page, html, result, theme="dark", locale="es-ES")
    rows = view.locator.get_by_role("row")
    boxes = result["structuredContent"]["boxes"]
    await expect(rows).to_have_count(len(boxes) + 1)
    await expect(view.locator.get_by_role("columnheader")).to_have_text(["Casilla", "Nombre", "Valor"])
    await expect(view.locator.get_by_role("rowheader")).to_have_text(sorted(boxes, key=int))
    await expect(rows.filter(has=page.get_by_role("rowheader", name="28"))).to_contain_text("1.000,50")
    await expect(view.locator.get_by_text("Escrito a mano; calculado: 0,00")).to_be_visible()
    await expect(view.locator.locator("dt", has_text="A ingresar")).to_have_count(1)
    assert await view.overflow() <= 0
    assert await violations(view.frame) == []
    assert asked == []

    view = await shown(page, html, in_full, locale="es-ES")
    await expect(view.locator.get_by_role("rowheader")).to_have_text(sorted(boxes, key=int))


async def test_the_documents_behind_a_box(ana, visit):
    await emitted(ana)
    assistant = Assistant(ana)
    today = (await ana.get("/api/invoices"))[0]["issueDate"]
    period = {"country": "ES", "year": int(today[:4]), "period": f"Q{(int(today[5:7]) + 2) // 3}", "form": "303"}
    form = (await assistant.called("generate_tax_declaration", **period))["structuredContent"]
    result = await assistant.called("get_tax_declaration", id=form["id"], box="07")
    page, _ = await window(visit)

    view = await shown(page, await assistant.page_for("get_tax_declaration"), result, locale="es-ES")

    table = view.locator.get_by_role("table", name="Documentos de la casilla")
    await expect(table.get_by_role("row").nth(1)).to_contain_text(f"F{YEAR}-0001")
    await expect(table.get_by_role("row").nth(1)).to_contain_text(CLIENT["name"])


@pytest.mark.journey
async def test_hostile_text_stays_text(ana, visit):
    assistant = Assistant(ana)
    client = {"name": HOSTILE[:100], "country": "ES", "city": "Bilbao"}
    invoice = await draft(ana, client=client, items=[item(description=HOSTILE)], notes=HOSTILE)
    page, asked = await window(visit)
    dialogs = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    for tool, arguments in (
        ("get_invoice", {"id": invoice["id"]}),
        ("update_invoice", {"id": HOSTILE}),
        ("share_invoice", {"id": invoice["id"]}),
    ):
        result = await assistant.called(tool, **arguments)
        view = await shown(page, await assistant.page_for(tool), result, locale="es-ES")
        await expect(view.locator.get_by_text("<script>alert(1)</script>").first).to_be_visible()
        await expect(view.locator.locator("main script, img")).to_have_count(0)
        assert await view.overflow() <= 0

    assert dialogs == []
    assert asked == []


async def test_a_refusal_says_what_is_wrong(ana, visit):
    assistant = Assistant(ana)
    result = await assistant.called("create_invoice", client=CLIENT, items=[item(unitPrice="x")])
    page, _ = await window(visit)

    view = await shown(page, await assistant.page_for("create_invoice"), result, locale="es-ES")

    await expect(view.locator.get_by_role("heading", level=1)).to_have_text("No se ha hecho")
    await expect(view.locator.locator("dt")).to_have_text(["items[0].unitPrice"])


async def test_other_answers_are_done_with_their_text(ana, visit):
    """A confirmed act answers its record, as a fiscal one, or something that no view has a card for."""
    assistant = Assistant(ana)
    invoice = (await draft(ana))["id"]
    record = await assistant.done("emit_einvoice", invoiceId=invoice)
    mailed = await assistant.done("send_invoice", id=invoice)
    link = await assistant.done("share_invoice", id=invoice)
    html = await assistant.page_for("share_invoice")
    page, _ = await window(visit)

    view = await shown(page, html, record, locale="es-ES")
    await expect(view.locator.get_by_role("heading", level=1)).to_have_text(f"Registro fiscal · F{YEAR}-0001")
    await expect(view.locator.get_by_text("aceptada")).to_be_visible()

    view = await shown(page, html, mailed, locale="es-ES")
    await expect(view.locator.get_by_role("heading", level=1)).to_have_text(f"F{YEAR}-0001 · {CLIENT['name']}")

    view = await shown(page, html, link, locale="es-ES")
    await expect(view.locator.get_by_role("heading", level=1)).to_have_text("Hecho")
    await view.locator.get_by_text("La respuesta completa").click()
    await expect(view.locator.locator("pre")).to_contain_text(link["structuredContent"]["shareUrl"])


async def test_a_view_follows_its_host(ana, visit):
    """The answer may come later, or as text only; theme and language may change."""
    assistant = Assistant(ana)
    result = await assistant.called("get_invoice", id=(await draft(ana))["id"])
    page, _ = await window(visit)

    view = await shown(page, await assistant.page_for("get_invoice"), None, theme="light", locale="en-GB")
    await expect(view.locator.get_by_text("Waiting for the answer.")).to_be_visible()

    await view.notify("tool-result", {"content": result["content"]})
    await expect(view.locator.get_by_role("table", name="Lines")).to_be_visible()

    await view.notify("host-context-changed", {"theme": "dark", "locale": "es-ES"})
    await expect(view.locator.get_by_role("table", name="Líneas")).to_be_visible()
    assert await view.frame.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 28)"

    await page.evaluate("tell({ id: 'x', method: 'ping' }); tell({ id: 'y', method: 'tools/call' })")
    await page.wait_for_function("messages.some(({ id }) => id === 'y')")
    answers = {message["id"]: message for message in await view.sent() if "method" not in message}
    assert (answers["x"]["result"], answers["y"]["error"]["code"]) == ({}, -32601)

    for odd in ({}, {"content": []}, {"structuredContent": {"docType": 1, "currency": "?", "total": 1, "items": 3}}):
        await view.notify("tool-result", odd)
        await expect(view.locator.get_by_text("La respuesta completa")).to_be_visible()

    await view.notify("tool-cancelled", {"reason": "no"})
    await expect(view.locator.get_by_text("La llamada se ha cancelado.")).to_be_visible()
