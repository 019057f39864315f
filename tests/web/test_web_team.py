"""A team in the browser: invited, joined by the link of the mail, at work with exactly what the role may do."""

import re
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.async_api import Page, expect

from support.api import PASSWORD, Api

SECTIONS = Path(__file__).parents[2] / "web" / "src" / "app" / "sections.ts"
NAMES = {
    "admin": "Administración",
    "finance": "Finanzas",
    "operations": "Operaciones",
    "member": "Miembro",
    "viewer": "Solo lectura",
}
BUTTONS = {"/invoices": ("Nueva factura", "invoices:draft"), "/clients": ("Nuevo cliente", "clients:write")}
REQUESTS = {
    "clients:write": ("POST", "/api/clients", {"name": "Otro, S.L."}),
    "invoices:draft": ("POST", "/api/invoices", {}),
    "invoices:issue": ("PATCH", f"/api/invoices/{uuid4()}/send", {}),
    "team:write": ("PUT", "/api/teams/current", {"name": "Otro"}),
}
"""A request for each of some permissions."""


async def test_the_table_of_roles_has_words_for_every_permission(ana, visit):
    permissions = {right for role in await ana.get("/api/teams/roles") for right in role["permissions"]}
    catalogues = {
        language: (SECTIONS.parents[1] / f"teams/texts/{language}.ts").read_text() for language in ("es", "en")
    }
    for language, texts in catalogues.items():
        named = set(re.findall(r'^  "?([a-z-]+)"?: ', texts, re.MULTILINE))
        assert {word for right in permissions for word in right.split(":")} <= named, language

    page = await visit(ana, "/team")
    await expect(page.get_by_role("rowheader", name="VERI*FACTU: sustituir lo que ocupa un número")).to_be_visible()


async def rights_of(api: Api, role: str) -> set[str]:
    """Permissions of a role by the table with which the server decides."""
    [rights] = [set(one["permissions"]) for one in await api.get("/api/teams/roles") if one["role"] == role]
    return rights


def sections(rights: set[str]) -> set[str]:
    """Addresses of the sections that somebody with these permissions is offered."""
    every = re.findall(r'path: "([^"]+)".*permission: "([^"]+)"', SECTIONS.read_text())
    assert len(every) > 10
    return {path for path, permission in every if permission in rights}


async def invite(page: Page, email: str, role: str) -> None:
    await page.get_by_role("button", name="Invitar a alguien").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Correo electrónico").fill(email)
    await dialog.get_by_label("Rol").select_option(label=NAMES[role])
    await dialog.get_by_role("button", name="Hacer la invitación").click()
    await expect(page.get_by_text(f"La invitación para {email} quedó en un archivo del servidor")).to_be_visible()


async def join(page: Page, token: str, email: str) -> None:
    """Accept by the page behind the link, and log in from there."""
    await page.goto(f"/join/{token}")
    await page.get_by_label("Nombre").fill("Rosa Gil")
    await page.get_by_label("Contraseña").fill(PASSWORD)
    await page.get_by_role("button", name="Entrar en el equipo").click()
    await page.get_by_role("link", name="Entrar en ledgerkit").click()
    await page.get_by_label("Correo electrónico").fill(email)
    await page.get_by_label("Contraseña").fill(PASSWORD)
    await page.get_by_role("button", name="Entrar").click()


@pytest.mark.parametrize(
    "role", [pytest.param(role, marks=pytest.mark.journey if role == "finance" else []) for role in NAMES]
)
async def test_who_is_invited_works_with_what_the_role_may_and_nothing_else(ana, site, visit, role):
    email, rights = f"{uuid4().hex}@example.com", await rights_of(ana, role)
    owners = await visit(ana, "/team")
    await invite(owners, email, role)
    page = await visit.window()
    await join(page, site.mails.token(email), email)

    await expect(page.get_by_role("banner")).to_contain_text(ana.team["taxId"])
    links = page.get_by_role("navigation", name="Secciones").get_by_role("link")
    await expect(links).not_to_have_count(0)
    assert {await link.get_attribute("href") for link in await links.all()} == sections(rights)
    for path, (button, permission) in BUTTONS.items():
        await page.goto(path)
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        await page.wait_for_load_state("networkidle")
        if permission in rights:
            await expect(page.get_by_text(button, exact=True).first).to_be_visible()
        else:
            await expect(page.get_by_text(button, exact=True)).to_have_count(0)

    rosa = Api(site.client, {}, email)
    await rosa.log_in()
    for permission, (method, path, body) in REQUESTS.items():
        answer = await rosa.request(method, path, body)
        assert (answer.status_code == 403) == (permission not in rights), (permission, answer.text)


async def test_a_role_is_changed_and_a_member_taken_out(ana, site, visit):
    rosa = await site.member(ana, "member")
    page = await visit(ana, "/team")
    row = page.get_by_role("row").filter(has_text=rosa.email)
    await row.get_by_role("combobox").select_option(label="Finanzas")
    await expect(page.get_by_text("ahora con el rol Finanzas")).to_be_visible()
    [role] = [one["role"] for one in await ana.get("/api/teams/current/members") if one["email"] == rosa.email]
    assert role == "finance"

    theirs = await visit(rosa, "/invoices")
    await expect(theirs.get_by_role("banner")).to_contain_text(ana.team["taxId"])
    await row.get_by_role("button").click()
    await page.get_by_role("dialog").get_by_role("button", name="Quitar del equipo").click()
    await expect(page.get_by_text("ya no está en el equipo")).to_be_visible()
    await theirs.reload()
    await expect(theirs.get_by_role("banner")).not_to_contain_text(ana.team["taxId"])
