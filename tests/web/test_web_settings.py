"""Settings in the browser: what is saved, tried, made anew and taken away, with what it does outside the browser."""

import io
import json
import re
import zipfile
from pathlib import Path

from playwright.async_api import Page, expect

from ledgerkit.core.undoing.ways.inverses import WAYS
from support.api import PASSWORD
from support.credentials import person
from support.full_books import filled

ROOT = Path(__file__).parents[2]
CORE = ROOT / "src" / "ledgerkit" / "core"
ACTIVITY = ROOT / "web" / "src" / "settings" / "texts" / "activity.es.ts"
FIELDS = {"entity": "entityType", "action": "action", "channel": "channel"}


async def status_with(site, key: str) -> int:
    answer = await site.client.get("/api/clients", headers={"x-api-key": key})
    return int(answer.status_code)


async def shown_key(page: Page) -> str:
    dialog = page.get_by_role("dialog", name="Clave creada")
    key = await dialog.locator("code, input").first.evaluate("one => one.value ?? one.textContent")
    await dialog.get_by_role("button", name="Cerrar").click()
    return str(key)


async def test_the_company_is_saved_and_a_wrong_nif_stands_at_its_field(visit, ana):
    page = await visit(ana, "/settings/company")
    await page.get_by_label("NIF").fill("12345678A")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_label("NIF")).to_have_attribute("aria-invalid", "true")

    await page.get_by_label("NIF").fill(ana.team["taxId"])
    await page.get_by_label("Población").fill("Bilbao")
    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    assert (await ana.get("/api/teams/current"))["team"]["city"] == "Bilbao"


async def test_a_self_signed_certificate_is_called_what_it_is(visit, ana, tmp_path):
    file = tmp_path / "certificado.pem"
    file.write_bytes(person(ana.team["taxId"], self_signed=True).pem())
    page = await visit(ana, "/settings/certificate")
    await page.locator("input[type=file]").set_input_files(file)
    await page.get_by_role("button", name="Subir el certificado").click()

    await expect(page.get_by_text("Fuera de la simulación este certificado no se admite")).to_be_visible()
    await expect(page.get_by_text("está autofirmado")).to_be_visible()
    await ana.delete("/api/einvoice/certificate")


async def test_a_certificate_is_uploaded_tried_and_taken_away(visit, ana, tmp_path):
    file = tmp_path / "certificado.pem"
    file.write_bytes(person(ana.team["taxId"], kind="rsa").pem())
    page = await visit(ana, "/settings/certificate")
    await page.locator("input[type=file]").set_input_files(file)
    await page.get_by_role("button", name="Subir el certificado").click()
    await expect(page.get_by_text("Certificado guardado")).to_be_visible()
    await expect(page.get_by_text("RUIZ GIL ANA").first).to_be_visible()

    await page.get_by_role("button", name="Probar la conexión con la AEAT").click()
    await expect(page.get_by_text("La conexión con 127.0.0.1")).to_be_visible()
    await page.get_by_role("button", name="Quitar el certificado").press("Enter")
    await page.get_by_role("dialog").get_by_role("button", name="Quitar el certificado").click()

    await expect(page.get_by_text("No hay certificado propio.")).to_be_visible()


async def test_a_trial_mail_without_a_mail_server_is_said_to_lie_in_a_file(visit, ana, site):
    before = len(site.mails.to(ana.email))
    page = await visit(ana, "/settings/mail")
    await page.get_by_role("button", name="Hacer un mensaje de prueba").click()

    await expect(page.get_by_text(f"El mensaje para {ana.email} quedó en un archivo del servidor")).to_be_visible()
    assert len(site.mails.to(ana.email)) == before + 1


async def test_a_key_is_made_shown_once_used_and_revoked(visit, ana, site):
    page = await visit(ana, "/settings/keys")
    await page.get_by_role("button", name="Nueva clave").click()
    await page.get_by_label("Programa").fill("Gestoría")
    await page.get_by_role("button", name="Crear la clave").click()
    key = await shown_key(page)
    assert await status_with(site, key) == 200
    await expect(page.get_by_text("Gestoría")).to_be_visible()
    await expect(page.get_by_text(key)).to_have_count(0)

    await page.get_by_role("button", name="Revocar: Gestoría").click()
    await page.get_by_role("dialog").get_by_role("button", name="Revocar").click()

    await expect(page.get_by_text("No hay claves")).to_be_visible()
    assert await status_with(site, key) == 401


async def test_a_key_with_all_permissions_is_made_anew_and_the_one_before_ends(visit, ana, site):
    before = ana.team["apiKey"]
    assert await status_with(site, before) == 200
    page = await visit(ana, "/settings/keys")
    await page.get_by_role("button", name="Regenerar la del equipo").click()
    await page.get_by_role("dialog").get_by_role("button", name="Regenerar", exact=True).click()
    key = await shown_key(page)

    assert (await status_with(site, before), await status_with(site, key)) == (401, 200)

    member = await site.member(ana, "member")
    await member.post(f"/api/teams/switch/{ana.team['id']}")
    theirs = await visit(member, "/settings/keys")
    await expect(theirs.get_by_role("button", name="Regenerar mi clave")).to_be_visible()
    await expect(theirs.get_by_role("button", name="Regenerar la del equipo")).to_have_count(0)


async def test_the_context_for_assistants_is_written_changed_and_removed(visit, ana):
    page = await visit(ana, "/settings/context")
    await page.get_by_label("Tu negocio en pocas palabras").fill("Diseño para editoriales.")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    await page.get_by_role("button", name="Añadir un dato").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Clave").fill("tarifas")
    await dialog.get_by_label("Título").fill("Tarifas")
    await dialog.get_by_label("Contenido").fill("La hora, 45 €.")
    await dialog.get_by_role("button", name="Guardar").click()
    await expect(dialog).to_have_count(0)
    await expect(page.get_by_text("La hora, 45 €.")).to_be_visible()
    context = json.dumps(await ana.get("/api/context"), ensure_ascii=False)
    assert "Diseño para editoriales." in context
    assert "La hora, 45 €." in context
    async with page.expect_download() as started:
        await page.get_by_role("button", name="Descargar en Markdown").click()
    markdown = (await (await started.value).path()).read_text()
    assert markdown == (await ana.get("/api/context/markdown"))["markdown"]
    assert "La hora, 45 €." in markdown

    await page.get_by_role("button", name="Borrar: Tarifas").click()

    await expect(page.get_by_text("Tarifas: borrado")).to_be_visible()


async def test_what_is_there_is_taken_along_as_one_file(visit, ana, tmp_path):
    await ana.post("/api/clients", {"name": "Talleres Norte"})
    page = await visit(ana, "/settings/data")
    await page.get_by_role("button", name="Llevarme mis datos").click()
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Descargar el ZIP").click()
    saved = tmp_path / "datos.zip"
    await (await waiting.value).save_as(saved)

    archive = zipfile.ZipFile(io.BytesIO(saved.read_bytes()))
    assert archive.testzip() is None
    assert any(b"Talleres Norte" in archive.read(name) for name in archive.namelist())


async def test_the_activity_says_who_did_what(visit, ana):
    await ana.post("/api/clients", {"name": "Talleres Norte"})
    page = await visit(ana, "/settings/activity")

    entry = page.get_by_role("row").filter(has_text="Talleres Norte")
    await expect(entry).to_contain_text("Cliente, alta")
    await expect(entry).to_contain_text("API")


def named_words() -> set[str]:
    """Entities, actions and channels of which the app has a name, as `action_created`."""
    return set(re.findall(r"^  (\w+):", ACTIVITY.read_text(), re.MULTILINE))


def test_every_entry_that_the_sources_record_has_a_name():
    sources = "".join(file.read_text() for file in CORE.rglob("*.py"))
    recorded = re.findall(r'activity\.record\(\s*\w+,\s*"(\w+)",\s*\("(\w+)"', sources)

    assert len(recorded) > 40
    words = {f"action_{action}" for action, _ in recorded} | {f"entity_{entity}" for _, entity in recorded}
    words |= {f"action_{action}" for action in re.findall(r'log_activity\(\s*\w+,\s*"(\w+)"', sources)}
    assert "action_chain_continued" in words
    assert words <= named_words()


def test_every_entry_that_undoing_knows_has_a_name():
    assert {f"entity_{entity}" for entity, _ in WAYS} <= named_words()
    assert {f"action_{action}" for _, action in WAYS} <= named_words()


async def test_every_entry_of_a_whole_company_has_a_name(ana):
    await filled(ana)
    entries = await ana.get("/api/invoices/activity/feed?limit=100")

    assert {f"{kind}_{entry[field]}" for entry in entries for kind, field in FIELDS.items()} <= named_words()


async def test_the_section_that_is_open_is_among_those_in_sight(visit, ana):
    for width in (1280, 360):
        page = await visit(ana, "/settings/data", width=width)
        current = page.get_by_role("navigation", name="Ajustes").get_by_role("link", name="Mis datos")
        await expect(current).to_be_in_viewport(ratio=1)


async def test_the_password_is_changed_and_the_one_before_ends(visit, ana, site):
    page = await visit(ana, "/settings/account")
    await page.get_by_label("Contraseña actual").fill("otra cosa")
    await page.get_by_label("Contraseña nueva").fill("una frase nueva y larga")
    await page.get_by_role("button", name="Cambiar la contraseña").click()
    await expect(page.get_by_role("alert")).to_be_visible()
    await page.get_by_label("Contraseña actual").fill(PASSWORD)
    await page.get_by_role("button", name="Cambiar la contraseña").click()
    await expect(page.get_by_text("Contraseña cambiada.")).to_be_visible()

    answers = [
        await site.client.post("/auth/login", json={"email": ana.email, "password": password})
        for password in (PASSWORD, "una frase nueva y larga")
    ]
    assert [answer.status_code for answer in answers] == [401, 200]


async def test_a_model_that_is_not_set_up_is_said_and_not_offered_for_a_trial(visit, ana):
    page = await visit(ana, "/settings/ai")

    await expect(page.get_by_text("Sin modelo: los tickets se leen en este servidor")).to_be_visible()
    await expect(page.get_by_role("button", name="Probar el modelo")).to_have_count(0)


async def test_a_server_without_a_messenger_says_what_one_is_for_and_who_sets_it_up(visit, ana):
    page = await visit(ana, "/settings/chats")

    await expect(page.get_by_text("no se hace nada hasta que pulsas un botón")).to_be_visible()
    await expect(page.get_by_text("LEDGERKIT_TELEGRAM_TOKEN")).to_be_visible()
    await expect(page.get_by_text("ledgerkit chat", exact=True)).to_be_visible()
    await expect(page.get_by_role("button", name="Vincular un chat")).to_have_count(0)
