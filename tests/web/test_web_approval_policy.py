"""Screen of the approval policy: a person says where they are asked about what assistants want done."""

import re

import httpx2
import pytest
from playwright.async_api import expect

from support.api import PASSWORD
from support.browsers import Browser
from support.oauth import AUTHORIZE, Application, query_of
from web.test_web_every_route import overflowing, usable

PATH = "/settings/approvals"
AMOUNT = "En la conversación, hasta"
OTHER = "Conexión que ya no existe"


async def policy(person):
    return await person.get("/api/approvals/policy")


async def connected(site, person, name: str) -> None:
    """Let an application in by the consent page."""
    visitor, application = Browser(None), await Application.registered(site.client, client_name=name)
    async with visitor.http:
        login = await visitor.open(str(httpx2.URL(f"{site.url}{AUTHORIZE}", params=application.request())))
        answer = await visitor.press(await visitor.log_in(login, person.email, PASSWORD), "allow")
    assert (await application.exchange(query_of(answer.headers["location"])["code"])).status_code == 200


async def test_each_choice_is_explained_and_saved(visit, ana):
    page = await visit(ana, PATH)
    for name, meaning in {
        "En la conversación": "un asistente podría confirmar por su cuenta",
        "Solo aquí, en Por aprobar": "no puede confirmar nada",
        "Según el importe": "Lo que pasa del límite",
    }.items():
        choice = page.get_by_role("radio", name=name, exact=True)
        await expect(choice).to_have_accessible_description(re.compile(meaning))
    await expect(page.get_by_role("radio", name="En la conversación", exact=True)).to_be_checked()

    await page.get_by_role("radio", name="Solo aquí, en Por aprobar").check()
    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    assert (await policy(ana))["asked"] == "app"
    await page.reload()
    await expect(page.get_by_role("radio", name="Solo aquí, en Por aprobar")).to_be_checked()


async def test_limits_need_an_amount_which_the_field_says(visit, ana):
    page = await visit(ana, PATH)
    await page.get_by_role("radio", name="Según el importe").check()
    amount = page.get_by_label(AMOUNT)
    await page.get_by_role("button", name="Guardar").click()
    await expect(amount).to_have_attribute("aria-invalid", "true")
    await expect(amount).to_have_accessible_description(re.compile("necesita un importe"))
    assert (await policy(ana))["asked"] == "host"

    await amount.fill("300,50")
    await page.get_by_label("Y solo con clientes a los que ya has facturado").check()
    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    stored = await policy(ana)
    assert (stored["asked"], stored["upTo"], stored["knownClients"]) == ("limits", 300.5, True)


async def test_keys_and_applications_have_rules_of_their_own_by_name(visit, ana, site):
    key = await ana.post("/api/keys", {"name": "Gestoría", "scopes": ["read", "write"]})
    await connected(site, ana, "Asistente de Ana")
    (grant,) = await ana.get("/api/oauth/grants")
    gone = {"connection": "01890000-0000-7000-8000-000000000000", "asked": "app"}
    await ana.put("/api/approvals/policy", {"asked": "host", "connections": [gone]})
    page = await visit(ana, PATH)
    own = page.get_by_role("group", name="Gestoría")
    await own.get_by_role("combobox").select_option("Según el importe")
    await page.get_by_role("combobox", name="Asistente de Ana").select_option("Solo aquí, en Por aprobar")
    await page.get_by_role("button", name="Guardar").click()
    await expect(own.get_by_label(AMOUNT)).to_have_attribute("aria-invalid", "true")
    await own.get_by_label(AMOUNT).fill("50")
    await page.get_by_role("button", name="Guardar").click()
    await expect(page.get_by_text("Guardado", exact=True)).to_be_visible()
    rules = {rule["connection"]: (rule["asked"], rule["upTo"]) for rule in (await policy(ana))["connections"]}
    assert rules == {key["id"]: ("limits", 50), grant["id"]: ("app", None), gone["connection"]: ("app", None)}

    await page.get_by_role("combobox", name=OTHER).select_option("La regla de arriba")
    await own.get_by_role("combobox").select_option("La regla de arriba")
    await page.get_by_role("button", name="Guardar").click()

    await expect(page.get_by_role("combobox", name=OTHER)).to_have_count(0)
    assert [rule["connection"] for rule in (await policy(ana))["connections"]] == [grant["id"]]


async def test_those_of_colleagues_say_whose_they_are(visit, ana, site):
    admin = await site.member(ana, "admin")
    key = await admin.post("/api/keys", {"name": "Gestoría", "scopes": ["read"]})
    await admin.post("/api/keys", {"name": "Sin regla", "scopes": ["read"]})
    await connected(site, admin, "Asistente de Luis")
    (grant,) = await admin.get("/api/oauth/grants")
    rules = [{"connection": connection, "asked": "app"} for connection in (key["id"], grant["id"])]
    await ana.put("/api/approvals/policy", {"asked": "host", "connections": rules})
    name = (await admin.get("/auth/me"))["user"]["name"]
    page = await visit(ana, PATH)

    rule = page.get_by_role("combobox", name=f"Gestoría ({name})")
    await expect(rule).to_have_accessible_description("Clave de otra persona")
    application = page.get_by_role("combobox", name=f"Asistente de Luis ({name})")
    await expect(application).to_have_accessible_description("Aplicación conectada de otra persona")
    await expect(page.get_by_text("Sin regla (")).to_have_count(0)
    await rule.select_option("La regla de arriba")
    await page.get_by_role("button", name="Guardar").click()

    await expect(rule).to_have_count(0)
    await expect(application).to_be_visible()
    assert [one["connection"] for one in (await policy(ana))["connections"]] == [grant["id"]]


@pytest.mark.parametrize("choice", ["Guardar lo mío", "Quedarme con lo suyo"])
async def test_a_rule_that_somebody_else_makes_meanwhile_is_shown_by_name_and_kept(visit, ana, site, choice):
    page = await visit(ana, PATH)
    await page.get_by_role("radio", name="Solo aquí, en Por aprobar").check()
    admin = await site.member(ana, "admin")
    key = await admin.post("/api/keys", {"name": "Gestoría", "scopes": ["read"]})
    name = (await admin.get("/auth/me"))["user"]["name"]
    rules = [{"connection": key["id"], "asked": "limits", "upTo": 50}]
    await admin.put("/api/approvals/policy", {"asked": "host", "connections": rules})

    await page.get_by_role("button", name="Guardar").click()
    await page.get_by_role("button", name=choice).click()

    await expect(page.get_by_role("button", name=choice)).to_have_count(0)
    rule = page.get_by_role("group", name=f"Gestoría ({name})")
    await expect(rule.get_by_label(AMOUNT)).to_have_value("50,00")
    await expect(page.get_by_role("combobox", name=OTHER)).to_have_count(0)
    stored = await policy(ana)
    assert stored["asked"] == ("app" if choice == "Guardar lo mío" else "host")
    assert [(one["connection"], one["upTo"]) for one in stored["connections"]] == [(key["id"], 50)]


async def test_it_works_with_the_keyboard_on_a_telephone_in_english(visit, ana, violations):
    page = await visit(ana, PATH, width=360, height=640, language="en")
    await usable(page)
    await page.get_by_role("radio", name="In the conversation", exact=True).focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Tab")
    await expect(page.get_by_label("In the conversation, up to")).to_be_focused()
    await page.keyboard.type("120")
    assert (await overflowing(page), await violations(page)) == ([], [])
    await page.keyboard.press("Enter")

    await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    stored = await policy(ana)
    assert (stored["asked"], stored["upTo"]) == ("limits", 120)


@pytest.mark.parametrize("role", ["viewer", "member", "finance"])
async def test_who_does_not_administer_the_team_does_not_see_it(visit, ana, site, role):
    other = await site.member(ana, role)
    page = await visit(other, "/settings/keys")
    await expect(page.get_by_role("link", name="Asistentes", exact=True)).to_be_visible()
    await expect(page.get_by_role("link", name="Aprobaciones", exact=True)).to_have_count(0)

    await page.goto(PATH)

    await usable(page)
    await expect(page.get_by_text("¿Dónde se te pregunta?")).to_have_count(0)
