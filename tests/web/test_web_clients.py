"""Clients in the browser: found, created with a checked NIF, changed, deleted."""

from playwright.async_api import expect


async def test_a_client_is_created_with_a_checked_nif_and_its_province(ana, visit):
    page = await visit(ana, "/clients")
    await page.get_by_role("button", name="Nuevo cliente").first.click()
    await page.get_by_label("Nombre o razón social").fill("Talleres Norte")
    await page.get_by_role("textbox", name="NIF").fill("B00000001")
    await page.get_by_label("Código postal").fill("48001")
    await expect(page.get_by_label("Provincia")).to_have_value("Bizkaia")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_role("textbox", name="NIF")).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_text("Referencia:")).to_be_visible()
    await page.get_by_role("textbox", name="NIF").fill("B12345674")
    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_role("heading", name="Talleres Norte")).to_be_visible()
    [client] = await ana.get("/api/clients")
    assert (client["taxId"], client["province"]) == ("B12345674", "Bizkaia")


async def test_a_client_is_found_changed_and_invoiced(ana, visit):
    for name in ("Talleres Norte", "Librería Sur"):
        await ana.post("/api/clients", {"name": name, "notes": "<i>sin adornos</i>"})
    page = await visit(ana, "/clients")
    await page.get_by_role("searchbox").fill("sur")
    await expect(page.get_by_role("row")).to_have_count(2)
    await page.get_by_role("link", name="Librería Sur").click()
    await expect(page.get_by_text("<i>sin adornos</i>")).to_be_visible()
    await page.get_by_role("button", name="Editar").click()
    await page.get_by_label("Retención habitual").fill("15")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_text("15 %")).to_be_visible()
    await page.get_by_role("link", name="Nueva factura").click()

    await expect(page.get_by_label("Nombre o razón social")).to_have_value("Librería Sur")
    await expect(page.get_by_label("Retención de IRPF")).to_have_value("15")


async def test_a_change_over_another_one_is_refused(ana, visit):
    client = await ana.post("/api/clients", {"name": "Talleres Norte"})
    page = await visit(ana, f"/clients/{client['id']}")
    await page.get_by_role("button", name="Editar").click()
    await ana.put(f"/api/clients/{client['id']}", {"city": "Bilbao"})
    await page.get_by_label("Teléfono").fill("600000000")
    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_role("alert")).to_be_visible()
    assert (await ana.get(f"/api/clients/{client['id']}"))["phone"] is None


async def test_a_client_is_deleted_after_a_question(ana, visit):
    client = await ana.post("/api/clients", {"name": "Talleres Norte"})
    page = await visit(ana, f"/clients/{client['id']}")
    await page.get_by_role("button", name="Borrar cliente").click()
    await page.get_by_role("dialog").get_by_role("button", name="Borrar cliente").click()

    await expect(page.get_by_text("Todavía no hay clientes")).to_be_visible()


async def test_a_viewer_only_reads(ana, site, visit):
    client = await ana.post("/api/clients", {"name": "Talleres Norte"})
    viewer = await site.member(ana, "viewer")
    await viewer.post(f"/api/teams/switch/{ana.team['id']}")
    page = await visit(viewer, f"/clients/{client['id']}")
    await expect(page.get_by_role("heading", name="Talleres Norte")).to_be_visible()

    for name in ("Editar", "Borrar cliente"):
        await expect(page.get_by_role("button", name=name)).to_have_count(0)
    await expect(page.get_by_role("link", name="Nueva factura")).to_have_count(0)


async def test_a_country_is_chosen_by_its_name(ana, visit):
    page = await visit(ana, "/clients")
    await page.get_by_role("button", name="Nuevo cliente").first.click()
    await page.get_by_label("Nombre o razón social").fill("Hans Meyer")
    country = page.get_by_label("País")
    await expect(country.locator("option:checked")).to_have_text("España")
    await country.focus()
    await page.keyboard.type("Alema")
    await page.get_by_role("dialog").get_by_role("button", name="Guardar").click()

    await expect(page.get_by_text("Hans Meyer guardado")).to_be_visible()
    [client] = await ana.get("/api/clients")
    assert client["country"] == "DE"
