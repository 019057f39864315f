"""The team's field `einvoicing`: on by itself once it can be, off only before the first record (decisions B21)."""

import pytest

from ledgerkit.settings import EInvoiceEnvironment
from support.api import CLIENT, Api
from support.periods import YEAR
from support.tills import Till, line, sale

CURRENT = "/api/teams/current"
NIF = "12345678Z"


async def shown(api: Api) -> tuple[str, str, str | None, bool]:
    """As the profile and the providers say it."""
    team = (await api.get(CURRENT))["team"]
    providers = await api.get("/api/einvoice/providers")
    assert team["einvoicing"] == providers["einvoicing"]
    return team["einvoicing"], providers["einvoicing"], providers["offBecause"], providers["started"]


async def numbered(api: Api) -> dict:
    return await api.patch(f"/api/invoices/{(await api.invoice())['id']}/pay")


async def test_einvoicing_is_on_once_there_is_a_tax_id(client):
    eva = await Api.with_team(client, "eva@example.com", "Eva Sanz", None)
    before = await shown(eva)

    await eva.put(CURRENT, {"taxId": NIF})

    assert before == ("off", "off", "no_tax_id", False)
    assert await shown(eva) == ("on", "on", None, False)


async def test_einvoicing_is_off_in_a_country_without_a_channel(client):
    eva = await Api.register(client, "eva@example.com")

    eva.team = await eva.post("/api/teams", {"name": "Eva", "country": "PT", "taxId": "123456789"})

    assert await shown(eva) == ("off", "off", "no_channel", False)
    assert (await numbered(eva))["einvoice"] is None


async def test_a_personal_workspace_numbers_without_records(client):
    eva = await Api.register(client, "eva@example.com")

    paid = await numbered(eva)

    assert (paid["number"], paid["einvoice"]) == (f"F{YEAR}-0001", None)
    providers = await eva.get("/api/einvoice/providers")
    assert (providers["einvoicing"], providers["offBecause"]) == ("off", "no_tax_id")


async def test_off_is_chosen_before_the_first_record_and_the_legal_days_are_shown(ana):
    await ana.put(CURRENT, {"einvoicing": "off"})

    paid = await numbered(ana)

    assert paid["einvoice"] is None
    assert await shown(ana) == ("off", "off", "chosen", False)
    days = {one["from"] for one in (await ana.get("/api/einvoice/providers"))["obligations"]}
    assert {"2027-01-01", "2027-07-01"} <= days


async def test_a_new_team_can_be_off_from_the_beginning(client):
    eva = await Api.register(client, "eva@example.com")

    team = await eva.post("/api/teams", {"name": "Eva", "country": "ES", "taxId": NIF, "einvoicing": "off"})

    assert team["einvoicing"] == "off"
    assert (await numbered(eva))["einvoice"] is None


async def test_einvoicing_can_be_switched_on_again(ana):
    await ana.put(CURRENT, {"einvoicing": "off"})
    await numbered(ana)

    await ana.put(CURRENT, {"einvoicing": "on"})

    assert (await numbered(ana))["einvoice"]["status"] == "pending"
    assert await shown(ana) == ("on", "on", None, True)


@pytest.mark.parametrize("change", [{"einvoicing": "off"}, {"name": "Otra", "taxId": None, "einvoicing": "off"}])
async def test_after_the_first_record_it_cannot_be_off(ana, change):
    await numbered(ana)
    before = await ana.get(CURRENT)

    problem = await ana.refused(409, "PUT", CURRENT, change)

    assert problem["code"] == "EINVOICING_STARTED"
    assert problem["remedy"]
    assert await ana.get(CURRENT) == before
    assert (await numbered(ana))["einvoice"] is not None


WAYS_OUT = [({"taxId": None}, "ISSUER_INCOMPLETE"), ({"country": "PT"}, "EINVOICE_UNSUPPORTED")]


@pytest.mark.parametrize(("change", "code"), WAYS_OUT)
@pytest.mark.parametrize("call", ["pay", "send"])
async def test_after_the_first_record_no_profile_leads_to_a_number_without_one(ana, change, code, call):
    await numbered(ana)
    draft = await ana.invoice()
    await ana.put(CURRENT, change)

    problem = await ana.refused(400, "PATCH", f"/api/invoices/{draft['id']}/{call}")
    at_the_till = await (await Till.of(ana)).refuses(sale(12.1, line(10, taxRate=21)))

    assert [problem["code"], at_the_till["code"]] == [code, code]
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] is None
    assert (await shown(ana))[0] == "on"


async def test_the_refusal_is_spanish_for_who_reads_spanish(ana):
    await numbered(ana)

    problem = await ana.refused(409, "PUT", CURRENT, {"einvoicing": "off"}, **{"Accept-Language": "es"})

    assert "ya no se puede desactivar" in problem["detail"]


async def test_after_the_first_record_everything_else_can_change(ana):
    await numbered(ana)

    team = (await ana.put(CURRENT, {"name": "Ana R.", "taxId": "87654321X", "einvoicing": "on", "country": "ES"}))[
        "team"
    ]

    assert (team["name"], team["taxId"], team["einvoicing"]) == ("Ana R.", "87654321X", "on")
    assert (await numbered(ana))["einvoice"]["fiscalId"].startswith("87654321X:")


@pytest.mark.parametrize(("country", "code"), [("ES", "ISSUER_INCOMPLETE"), ("PT", "EINVOICE_UNSUPPORTED")])
async def test_on_is_refused_where_it_cannot_be(client, country, code):
    eva = await Api.register(client, "eva@example.com")
    tax_id = None if country == "ES" else "123456789"
    await eva.post("/api/teams", {"name": "Eva", "country": country, "taxId": tax_id})

    problem = await eva.refused(400, "PUT", CURRENT, {"einvoicing": "on"})

    assert (problem["code"], problem["errors"][0]["field"]) == (code, "einvoicing")


async def test_null_leaves_it_as_it_is(ana):
    await ana.put(CURRENT, {"einvoicing": "off"})

    team = (await ana.put(CURRENT, {"einvoicing": None}))["team"]

    assert team["einvoicing"] == "off"


@pytest.mark.parametrize("wrong", ["yes", True, 1, ""])
async def test_nothing_else_is_taken(ana, wrong):
    problem = await ana.refused(400, "PUT", CURRENT, {"einvoicing": wrong})

    assert problem["errors"][0]["field"] == "einvoicing"


async def test_records_of_the_sandbox_bind_nobody_on_a_real_service(kernel, ana):
    await numbered(ana)
    before = kernel.settings
    object.__setattr__(kernel, "settings", before.model_copy(update={"einvoice_env": EInvoiceEnvironment.TEST}))
    try:
        await ana.put(CURRENT, {"einvoicing": "off"})
        paid = await numbered(ana)
    finally:
        object.__setattr__(kernel, "settings", before)

    assert paid["einvoice"] is None
    assert (await ana.get(CURRENT))["team"]["einvoicing"] == "on"


async def test_the_list_of_ones_teams_says_it_too(ana):
    await ana.put(CURRENT, {"einvoicing": "off"})

    [team] = await ana.get("/api/teams/my-teams")

    assert team["einvoicing"] == "off"


# ---------------------------------------------------------------- what follows from off


async def test_nothing_is_emitted_while_it_is_off(ana):
    await ana.put(CURRENT, {"einvoicing": "off"})
    draft = await ana.invoice()

    problem = await ana.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})

    assert problem["code"] == "EINVOICING_OFF"
    assert "einvoicing: on" in problem["remedy"]
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] is None


async def test_what_is_issued_while_it_is_off_can_be_changed_and_deleted(ana):
    await ana.put(CURRENT, {"einvoicing": "off"})
    made = await ana.invoice()
    await ana.patch(f"/api/invoices/{made['id']}/pay", {"amount": 1})

    changed = await ana.put(f"/api/invoices/{made['id']}", {"client": {**CLIENT, "name": "Otra, S.L."}})
    gone = await ana.delete(f"/api/invoices/{made['id']}")

    assert (changed["client"]["name"], gone) == ("Otra, S.L.", {"ok": True, "warning": None})


async def test_no_mode_is_to_be_chosen_while_it_is_off(ana):
    await ana.put(CURRENT, {"einvoicing": "off"})

    problem = await ana.refused(400, "PUT", "/api/einvoice/mode", {"mode": "verifactu"})

    assert problem["code"] == "EINVOICE_UNSUPPORTED"
    assert (await ana.get("/api/einvoice/mode"))["mode"] is None
