"""A company over MCP, set up or changed, with its pending invitations; merged records, and the search."""

import asyncio
from uuid import uuid4

import pytest
from sqlalchemy import select

from ledgerkit.core.platform.identity.table import membership
from ledgerkit.core.searching.api import RecordType
from ledgerkit.mcp_server.catalogue.records import READ_BY
from ledgerkit.mcp_server.tools import TOOLS
from support.api import Api
from support.scopes import with_scoped_key

IBAN = "ES9121000418450200051332"
COMPANY = {"name": "Estudio Sol", "taxId": "12345678z", "address": "Calle Mayor 1", "city": "Madrid"}


@pytest.fixture
async def eva(site) -> Api:
    """Somebody without a team."""
    return await Api.register(site.client, f"{uuid4().hex}@example.com", name="Eva Sol")


async def client_names(api: Api) -> list[str]:
    return [client["name"] for client in await api.get("/api/clients")]


async def workspace_id(site, person: Api) -> str:
    """Id of the account of somebody who has no other one."""
    user = (await person.get("/auth/me"))["user"]["id"]
    async with site.kernel.database.transaction(None) as connection:
        return str(await connection.scalar(select(membership.c.account_id).where(membership.c.user_id == user)))


async def test_who_has_no_team_sets_one_up_and_goes_on_in_it(site, eva):
    agent = site.agent(eva)
    await agent.ok("save_client", name="Norte")

    missing = await agent.refused("save_company", city="Madrid")
    company = await agent.ok("save_company", **COMPANY)
    await agent.ok("save_client", name="Sur")

    assert missing["errors"][0]["field"] == "name"
    team = company["team"]
    assert (team["name"], team["taxId"], team["country"], team["role"]) == ("Estudio Sol", "12345678Z", "ES", "owner")
    assert company["message"] == "All calls of this connection are about the company Estudio Sol 12345678Z."
    assert "apiKey" not in team
    assert (await agent.ok("whoami"))["team"]["id"] == team["id"]
    assert sorted(await client_names(eva)) == ["Norte", "Sur"]
    [own] = await eva.get("/api/teams/my-teams")
    assert (own["id"], own["isActive"]) == (team["id"], True)


async def test_a_second_call_changes_the_company(site, eva):
    agent = site.agent(eva)
    first = await agent.ok("save_company", **COMPANY)

    second = await agent.ok("save_company", name="Estudio Luna", paymentTermDays=45)

    assert second["team"]["id"] == first["team"]["id"]
    assert (second["team"]["name"], second["team"]["city"]) == ("Estudio Luna", "Madrid")
    assert second["message"].endswith("about the company Estudio Luna 12345678Z.")
    assert len(await eva.get("/api/teams/my-teams")) == 1


async def test_of_many_calls_at_once_one_sets_it_up_and_none_makes_another(site, eva):
    agent = site.agent(eva)

    preview = await agent.preview("save_company", **COMPANY)
    token = {"confirmation_token": preview["confirmationToken"]}

    answers = await asyncio.gather(*(agent.call("save_company", **COMPANY, **token) for _ in range(8)))

    codes = {answer.body["code"] for answer in answers if answer.failed}
    assert codes <= {"TEAM_EXISTS", "CONFIRMATION_USED"}
    assert any(not answer.failed for answer in answers)
    assert len(await eva.get("/api/teams/my-teams")) == 1


@pytest.mark.parametrize("way", ["key", "application"])
async def test_a_connection_to_the_workspace_works_in_the_company_then(site, eva, way):
    if way == "key":
        bound = await with_scoped_key(eva, "read", "write", "team")
    else:
        eva.team = {"id": await workspace_id(site, eva)}
        token = await site.access_token(eva, "read", "write", "team")
        bound = Api(eva.client, {"Authorization": f"Bearer {token}"}, "", token)
    agent = site.agent(bound)

    company = await agent.ok("save_company", **COMPANY)
    await agent.ok("save_client", name="Norte")

    assert (await agent.ok("whoami"))["team"]["id"] == company["team"]["id"]
    assert await client_names(eva) == ["Norte"]


async def test_the_active_team_stays_the_active_one(site, eva):
    """A connection to the workspace makes that one a company; what works in the active team goes on there."""
    workspace = await with_scoped_key(eva, "read", "write", "team")
    berta = await site.person("Berta Gil")
    await berta.post("/api/teams/current/invite", {"email": eva.email, "role": "finance"})
    await eva.post(f"/api/teams/switch/{berta.team['id']}")

    company = await site.agent(workspace).ok("save_company", **COMPANY)

    active = {team["id"]: team["isActive"] for team in await eva.get("/api/teams/my-teams")}
    assert active == {berta.team["id"]: True, company["team"]["id"]: False}
    assert (await site.agent(eva).ok("whoami"))["team"]["id"] == berta.team["id"]


async def test_who_may_only_read_or_write_sets_nothing_up(site, eva):
    reader = await with_scoped_key(eva, "read", "write")

    problem = await site.agent(reader).refused("save_company", **COMPANY)

    assert problem["requiredScope"] == "team"
    assert (await reader.refused(403, "POST", "/api/teams/current", {"name": "x", "country": "ES"}))["code"]
    assert await eva.get("/api/teams/my-teams") == []


async def test_who_proposes_has_it_approved(site, eva):
    robot = await with_scoped_key(eva, "read", "propose")

    proposed = await site.agent(robot).ok("save_company", **COMPANY)
    before = await eva.get("/api/teams/my-teams")
    done = await eva.post(f"/api/approvals/{proposed['approvalId']}/approve")

    assert proposed["summary"].splitlines()[0] == "Dar de alta la empresa Estudio Sol"
    assert "NIF: 12345678Z" in proposed["summary"]
    assert before == []
    assert done["status"] == "done"
    assert (await site.agent(robot).ok("whoami"))["team"]["name"] == "Estudio Sol"


async def test_the_bank_account_of_a_new_company_is_confirmed(site, eva):
    agent = site.agent(eva)

    usual = (await agent.preview("save_company", **COMPANY))["question"].splitlines()
    assert {"NIF: 12345678Z", "País: España", "Moneda: EUR"} <= set(usual)
    preview = await agent.preview("save_company", **COMPANY, iban=IBAN)
    before = await eva.get("/api/teams/my-teams")
    company = await agent.ok("save_company", **COMPANY, iban=IBAN)

    lines = preview["question"].splitlines()
    assert lines[:2] == ["Dar de alta la empresa Estudio Sol", f"Cuenta bancaria nueva: {IBAN}"]
    assert before == []
    assert company["team"]["iban"] == IBAN
    assert "apiKey" not in str(preview)


async def test_what_is_missing_names_the_tool(site, eva):
    agent = site.agent(eva)
    problem = await agent.refused("invite_member", email="otra@example.com", role="viewer")
    draft = await agent.ok("create_invoice", client={"name": "Norte"}, items=[{"description": "Obra", "unitPrice": 9}])
    unissued = await agent.refused("emit_einvoice", invoiceId=draft["id"])

    assert (problem["code"], unissued["code"]) == ("NO_TEAM", "ISSUER_INCOMPLETE")
    assert "save_company" in problem["remedy"]
    assert "save_company" in unissued["remedy"]


async def test_pending_invitations_are_seen_by_who_may_invite(site):
    ana = await site.person()
    viewer = await site.colleague(ana, "viewer")
    agent = site.agent(ana)
    await agent.ok("invite_member", email="nadie@example.com", role="viewer")

    [pending] = (await agent.ok("get_team"))["pendingInvitations"]

    assert (pending["email"], pending["role"]) == ("nadie@example.com", "viewer")
    assert pending["invitedAt"] < pending["expiresAt"]
    assert "pendingInvitations" not in await site.agent(viewer).ok("get_team")
    reader = await with_scoped_key(ana, "read")
    assert len((await site.agent(reader).ok("get_team"))["pendingInvitations"]) == 1


async def test_the_preview_of_an_invitation_shows_it_without_a_problem(site):
    ana = await site.person()
    berta = await site.person("Berta Gil")
    agent = site.agent(ana)

    of_stranger = await agent.preview("invite_member", email="nadie@example.com", role="viewer")
    of_user = await agent.preview("invite_member", email=berta.email, role="viewer")

    assert of_stranger["answer"].keys() == {"invitation"}
    assert of_stranger["answer"]["invitation"]["email"] == "nadie@example.com"
    assert of_user["answer"]["member"]["name"] == berta.email.partition("@")[0]


async def test_two_records_of_one_are_merged_once_a_person_agrees(site):
    ana = await site.person()
    agent = site.agent(ana)
    first, second = [await agent.ok("save_client", name=name) for name in ("Talleres Norte", "Talleres Norte SL")]
    vendors = [await agent.ok("save_vendor", name=name) for name in ("Papelera", "La Papelera")]
    await ana.invoice(client=None, clientId=second["id"])
    of_clients = {"type": "client", "keepId": first["id"], "duplicateId": second["id"]}

    preview = await agent.preview("merge_records", **of_clients)
    merged = await agent.ok("merge_records", **of_clients)
    of_vendors = await agent.ok("merge_records", type="vendor", keepId=vendors[0]["id"], duplicateId=vendors[1]["id"])
    unknown = await agent.refused("merge_records", **of_clients)

    assert preview["question"].splitlines()[1] == "Desaparece: Talleres Norte SL"
    assert (merged["client"]["id"], merged["moved"]["invoices"]) == (first["id"], 1)
    assert of_vendors["vendor"]["id"] == vendors[0]["id"]
    assert unknown["code"] == "NOT_FOUND"
    assert await client_names(ana) == ["Talleres Norte"]


async def test_one_search_names_the_tool_that_reads_each_hit(site):
    ana = await site.person()
    agent = site.agent(ana)
    client = await agent.ok("save_client", name="Cantina Peñón", city="Vigo")
    line = {"description": "Menús", "unitPrice": 1020.3, "taxRate": 21}
    await agent.ok("create_invoice", clientId=client["id"], items=[line], retentionRate=0)
    await agent.ok("save_context_entry", key="canteen", content="La cantina paga tarde")

    hits = (await agent.ok("search", q="cantina"))["items"]
    of_amount = (await agent.ok("search", q="1.234,56", types=["invoice"]))["items"]
    nothing = await agent.ok("search", q="zzz")

    assert [hit["tool"] for hit in hits] == ["get_client", "get_invoice", "get_business_context"]
    assert hits[0]["detail"] == "Vigo"
    assert (await agent.ok("get_invoice", id=of_amount[0]["id"]))["total"] == 1234.56
    assert nothing["items"] == []
    assert READ_BY.keys() == set(RecordType)
    assert set(READ_BY.values()) <= TOOLS.keys()


async def test_a_search_leaves_out_what_the_role_may_not_read(site):
    ana = await site.person()
    vendor = await site.agent(ana).ok("save_vendor", name="Norte")
    await site.agent(ana).ok(
        "create_supplier_invoice", vendorId=vendor["id"], invoiceNumber="A-1", invoiceDate="2026-11-02", total=50
    )
    member = await site.colleague(ana, "member")

    assert [hit["type"] for hit in (await site.agent(ana).ok("search", q="norte"))["items"]] == [
        "vendor",
        "supplier_invoice",
    ]
    assert [hit["type"] for hit in (await site.agent(member).ok("search", q="norte"))["items"]] == ["vendor"]
