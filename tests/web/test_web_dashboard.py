"""The dashboard: every number leads to its list, reminders go out by mail, roles see only what they may."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import expect

from support.api import CLIENT, Api, item
from support.windows import log_in, overflow

HOSTILE = '<img src=x onerror=alert(1)>=HYPERLINK("x") \u202eabc 😀'


def day(days: int) -> str:
    return (datetime.now(UTC).date() + timedelta(days=days)).isoformat()


async def made_busy(ana: Api) -> Api:
    paid = await ana.invoice(issueDate=day(-40), dueDate=day(-10))
    await ana.patch(f"/api/invoices/{paid['id']}/pay", {"paidAt": day(0)})
    late = await ana.invoice(client=CLIENT | {"name": HOSTILE}, issueDate=day(-40), dueDate=day(-9))
    await ana.post("/api/einvoice/emit", {"invoiceId": late["id"]})
    rejected = await ana.invoice(items=[item(description="Carteles [sandbox:reject 1124]")], dueDate=day(20))
    await ana.refused(422, "POST", "/api/einvoice/emit", {"invoiceId": rejected["id"]})
    await ana.post("/api/expenses", {"description": "Papel", "amount": 121, "taxRate": 21, "date": day(0)})
    vendor = await ana.post("/api/vendors", {"name": "Papelera, S.A."})
    bill = {"vendorId": vendor["id"], "invoiceDate": day(-3), "dueDate": day(3), "taxRate": 21, "total": 242}
    await ana.post("/api/supplier-invoices", bill)
    product = {"name": "Cinta", "type": "product", "unitPrice": 3, "stock": 1, "lowStockThreshold": 5}
    await ana.post("/api/catalog", product)
    return ana


@pytest.fixture(scope="module")
async def busy(site) -> Api:
    """A business with an overdue invoice of a client with a hostile name, a paid one, a bill and little stock.

    No test changes it.
    """
    return await made_busy(await site.owner())


@pytest.fixture
async def changed(ana) -> Api:
    """Such a business, for one test."""
    return await made_busy(ana)


async def test_every_number_leads_to_the_list_behind_it_and_hostile_text_stays_text(visit, busy):
    page = await visit(busy, "/")
    figures = page.get_by_label("Cifras de hoy")

    await expect(figures).to_contain_text("1.452,00 €")
    links = await figures.get_by_role("link").evaluate_all("all => all.map(one => one.getAttribute('href'))")

    lists = ("/invoices?status=sent", "/invoices?status=overdue", "/invoices?paidFrom=", "/reports?view=profit")
    lists += ("/expenses?from=", "/payables?from=", "/reports?view=vat", "/tax")
    assert len(links) == len(lists)
    assert all(link.startswith(beginning) for link, beginning in zip(links, lists, strict=True)), links
    for name, address in (("Cinta", "/catalog/"), ("Papelera, S.A.", "/payables/"), ("Ver todas (1)", "/invoices")):
        link = page.get_by_role("link", name=name).first
        assert (await link.get_attribute("href")).startswith(address)
    await expect(page.get_by_role("link", name="1 registro rechazado")).to_have_attribute(
        "href", "/einvoice?needsAction=true"
    )
    await expect(page.get_by_role("table", name="Facturas vencidas")).to_contain_text("<img src=x onerror=alert(1)>")
    assert await page.locator("main img").count() == 0


async def test_every_number_is_that_of_its_list(visit, changed):
    [vendor] = await changed.get("/api/vendors")
    bill = {"vendorId": vendor["id"], "invoiceDate": day(-30), "taxRate": 21, "total": 121}
    settled = await changed.post("/api/supplier-invoices", bill | {"dueDate": day(2)})
    payment = {"amount": 121, "paymentDate": day(0), "paymentMethod": "transfer"}
    await changed.post(f"/api/supplier-invoices/{settled['id']}/payments", payment)
    for days in (-1, -2, 4):
        await changed.post("/api/supplier-invoices", bill | {"dueDate": day(days)})
    overview = await changed.get("/api/reports/overview")
    counts = {
        "/invoices?status=sent": overview["receivable"]["notYetDue"]["count"],
        "/invoices?status=overdue": overview["receivable"]["overdue"]["count"],
        "/payables?status=open": overview["bills"]["count"],
        "/payables?status=overdue": overview["bills"]["overdueCount"],
        "/catalog?view=low": overview["lowStock"]["count"],
        "/einvoice?needsAction=true": overview["fiscal"]["needsAction"],
    }
    assert counts["/payables?status=open"] == counts["/payables?status=overdue"] == 2
    page = await visit(changed, "about:blank")

    for address, count in counts.items():
        await page.goto("/")
        await page.locator(f'main a[href^="{address}"]').first.click()
        await expect(page.get_by_role("main").locator("tbody tr"), address).to_have_count(count)


async def test_it_is_usable_after_two_requests_and_draws_its_chart_after(visit, busy):
    page = await visit.window()
    await log_in(page, busy)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/" in request.url else None)
    await page.goto("/")
    await expect(page.get_by_role("img", name="Gráfico de cobros y pagos")).to_be_visible()

    of_the_app = ("/api/countries/", "/api/approvals?")  # asked once a visit, and once a minute
    screens_own = [url.rpartition("/")[2] for url in asked if not any(path in url for path in of_the_app)]
    assert screens_own == ["overview", "cashflow"]
    await page.get_by_text("Ver las cifras").click()
    await expect(page.get_by_role("table", name="Cobros y pagos de los últimos 12 meses")).to_contain_text("1.452,00 €")


async def test_a_reminder_is_written_after_asking_and_said_to_lie_in_a_file(visit, site, changed):
    page = await visit(changed, "/")

    await page.get_by_role("button", name="Recordar").click()
    dialog = page.get_by_role("dialog", name="Recordar el pago")
    await expect(dialog).to_contain_text("pagos@norte.example")
    before = len(site.mails.to("pagos@norte.example"))
    await dialog.get_by_label("Asunto").fill("Segundo aviso")
    await dialog.get_by_label("Mensaje").fill("Quedan cinco días.")
    await dialog.get_by_role("button", name="Guardar el mensaje").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("no tiene validez fiscal")
    assert len(site.mails.to("pagos@norte.example")) == before
    await dialog.get_by_role("button", name="Guardar el mensaje").click()

    await expect(page.get_by_text("El recordatorio para pagos@norte.example no ha salido")).to_be_visible()
    sent = site.mails.to("pagos@norte.example")
    assert len(sent) == before + 1
    assert sent[-1]["Subject"] == "SIMULACIÓN: Segundo aviso"
    assert sent[-1].get_body(("plain",)).get_content().startswith("Quedan cinco días.")


async def test_a_reminder_that_waits_for_tomorrow_is_not_said_to_lie_in_a_file(visit, changed):
    page = await visit(changed, "/")

    async def queued(route):
        answer = await route.fetch()
        await route.fulfill(response=answer, json={**await answer.json(), "deliveredTo": "queue"})

    await page.route("**/api/invoices/*/send", queued)
    await page.get_by_role("button", name="Recordar").click()
    keep = page.get_by_role("dialog", name="Recordar el pago").get_by_role("button", name="Guardar el mensaje")
    await keep.click()
    await keep.click()

    await expect(page.get_by_text("El recordatorio para pagos@norte.example sale mañana.")).to_be_visible()
    await expect(page.get_by_text("quedó en un archivo del servidor")).to_have_count(0)


async def test_a_member_sees_no_figures_and_sends_no_reminders(visit, site, busy):
    member = await site.member(busy, "member")
    page = await visit(member, "/")

    await expect(page.get_by_role("table", name="Facturas vencidas")).to_be_visible()
    await expect(page.get_by_label("Cifras de hoy")).to_have_count(0)
    await expect(page.get_by_role("button", name="Recordar")).to_have_count(0)
    await expect(page.get_by_role("link", name="Informes")).to_have_count(0)


async def test_an_error_is_shown_with_what_to_do_and_its_reference(visit, busy):
    page = await visit.window()
    await log_in(page, busy)
    problem = {"status": 503, "code": "UNAVAILABLE", "detail": "La base de datos no responde."}
    problem |= {"remedy": "Espera un minuto.", "requestId": "0123456789abcdef", "errors": []}
    body = {"status": 503, "content_type": "application/problem+json", "body": json.dumps(problem)}
    await page.route("**/api/reports/overview", lambda route: route.fulfill(**body))
    await page.goto("/")

    alert = page.get_by_role("alert")
    await expect(alert).to_contain_text("La base de datos no responde.")
    await expect(alert).to_contain_text("Espera un minuto.")
    await expect(alert).to_contain_text("0123456789abcdef")
    await page.unroute("**/api/reports/overview")
    await alert.get_by_role("button", name="Reintentar").click()
    await expect(page.get_by_label("Cifras de hoy")).to_be_visible()


@pytest.mark.parametrize(("scheme", "language"), [("light", "es"), ("dark", "en")])
async def test_it_is_accessible_and_fits_a_telephone(visit, busy, violations, scheme, language):
    page = await visit(busy, "/", width=360, height=740, scheme=scheme, language=language)
    await expect(page.get_by_role("img")).to_be_visible()

    assert await violations(page) == []
    assert await overflow(page) <= 0
