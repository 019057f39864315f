"""The table of permissions, cell by cell: each role against each operation (interface decisions R)."""

import pytest

from support.api import Api
from support.database import set_role
from support.interface import OF_LOGINS, built
from support.scenes import ASKS, EMISSION, ENDING, PRINTING, READING, address, body, prepared, scene
from support.scenes.ask import MEMBERS, ROLES, Ask

ALLOWED = {row: ask.allowed for row, ask in ASKS.items()}
"""Roles that may call each operation, where records are somebody else's."""

OWN_ONLY = {"PUT /api/invoices/{id}", "PUT /api/expenses/{id}", "DELETE /api/tasks/{id}"}
"""A member may, but for what is their own only; whoever may not even that is told so."""

ABSENT = {*EMISSION, *PRINTING}
"""Tried on a record that does not exist: whoever may, learns that."""

MISSING_IN_BODY = {"POST /api/einvoice/annul", *READING}
"""The interface has no 404 for these: what does not exist is a wrong field."""

NOT_READY = {"POST /api/go-live"}
"""These servers have no certificate: whoever may go live is told what is missing, and nothing is set aside."""

SET_UP = {"POST /api/teams/current"}
"""The scene's account is a team already: whoever may set one up is told so."""

CREATING_A_TEAM = "POST /api/teams"
"""Tried late: it makes the new team the active one."""


def test_the_table_has_a_row_for_every_built_operation():
    assert {row.name for row in built() if row.auth} == ALLOWED.keys()


async def statuses(caller: Api, ids: dict[str, str], *, with_teams: bool = True) -> dict[str, int]:
    """Status of each operation's answer to the caller: 200 for any success."""
    found = {}
    for row in sorted(ALLOWED, key=lambda row: (ENDING.get(row, 0), row == CREATING_A_TEAM)):
        if row == CREATING_A_TEAM and not with_teams:
            continue
        ask = ASKS[row]
        seen = {} if row in ABSENT else await prepared(caller, ask, ids)
        method, path = address(row, seen, Ask(None, ask.body, ask.query) if row in ABSENT else ask)
        answer = await caller.request(method, path, body(ask, seen))
        found[row] = 200 if answer.is_success else answer.status_code
        if answer.status_code == 403:
            problem = answer.json()
            named = set(problem["requiredRoles"])
            assert problem["code"] == "FORBIDDEN_ROLE"
            assert named == ALLOWED[row] or (row in OWN_ONLY and named == MEMBERS)
            assert problem["remedy"]
    return found


def expected(role: str) -> dict[str, int]:
    reached = {row: 404 if row in ABSENT else 200 for row in ALLOWED} | dict.fromkeys(MISSING_IN_BODY | NOT_READY, 400)
    reached |= dict.fromkeys(SET_UP, 409)
    return {row: reached[row] if role in roles else 403 for row, roles in ALLOWED.items()}


@pytest.mark.parametrize("role", ROLES)
async def test_each_role_may_exactly_what_the_table_says(kernel, ana, client, role):
    ids = await scene(ana)
    caller = ana
    if role != "owner":
        caller = await Api.register(client, "rosa@example.com")
        await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role=role)

    seen = await statuses(caller, ids)

    assert expected(role) == seen


async def test_a_team_key_acts_as_an_admin_but_founds_no_teams(ana):
    ids = await scene(ana)
    key = Api(ana.client, {"x-api-key": ana.team["apiKey"]})

    seen = await statuses(key, ids, with_teams=False)

    reached = expected("admin") | dict.fromkeys(OF_LOGINS, 401)
    assert {row: status for row, status in reached.items() if row != CREATING_A_TEAM} == seen
    assert (await key.get("/api/teams/my-role"))["role"] == "admin"
    await key.refused(403, "POST", "/api/teams", ASKS[CREATING_A_TEAM].body)


async def test_a_members_key_has_the_members_role(kernel, ana, client):
    rosa = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="viewer")
    key = Api(client, {"x-api-key": rosa.api_key})

    problem = await key.refused(403, "POST", "/api/invoices", ASKS["POST /api/invoices"].body)

    assert problem["code"] == "FORBIDDEN_ROLE"


@pytest.fixture
async def rosa(kernel, ana, client) -> Api:
    """A member of ana's team."""
    api = await Api.register(client, "rosa@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="member")
    return api


async def test_a_member_changes_drafts_of_their_own(rosa):
    own = await rosa.invoice()

    changed = await rosa.put(f"/api/invoices/{own['id']}", {"notes": "mía"})

    assert changed["notes"] == "mía"


async def test_a_member_does_not_change_other_peoples_drafts(ana, rosa):
    other = await ana.invoice()

    problem = await rosa.refused(403, "PUT", f"/api/invoices/{other['id']}", {"notes": "mía"})

    assert problem["requiredRoles"] == ["owner", "admin", "finance", "operations"]
    assert (await ana.get(f"/api/invoices/{other['id']}"))["notes"] is None


async def test_a_member_does_not_change_an_issued_invoice_of_their_own(ana, rosa):
    own = await rosa.invoice()
    await ana.patch(f"/api/invoices/{own['id']}/pay")

    problem = await rosa.refused(403, "PUT", f"/api/invoices/{own['id']}", {"notes": "mía"})

    assert problem["requiredRoles"] == ["owner", "admin", "finance"]


async def test_operations_changes_any_draft_but_no_issued_invoice(kernel, ana, client):
    olga = await Api.register(client, "olga@example.com")
    await set_role(kernel, team_id=ana.team["id"], user_email="olga@example.com", role="operations")
    ids = await scene(ana)

    await olga.put(f"/api/invoices/{ids['draft']}", {"notes": "vista"})

    await olga.refused(403, "PUT", f"/api/invoices/{ids['issued']}", {"notes": "vista"})


async def test_a_duplicate_of_somebody_elses_invoice_is_ones_own_draft(ana, rosa):
    other = await ana.invoice()

    copy = await rosa.post(f"/api/invoices/{other['id']}/duplicate")

    assert (await rosa.put(f"/api/invoices/{copy['id']}", {"notes": "mía"}))["notes"] == "mía"


async def test_a_changed_role_counts_at_once(kernel, ana, rosa):
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="viewer")

    await rosa.refused(403, "POST", "/api/invoices", ASKS["POST /api/invoices"].body)


@pytest.mark.parametrize(("role", "shown"), [("owner", True), ("member", False), ("viewer", False)])
async def test_modules_follow_the_role(kernel, ana, client, role, shown):
    caller = ana
    if role != "owner":
        caller = await Api.register(client, "rosa@example.com")
        await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role=role)

    me = await caller.get("/auth/me")

    assert ("einvoice" in me["modules"]) == (shown or role == "viewer")
    assert ("supplierInvoices" in me["modules"]) == (shown or role == "viewer")
    everybodys = {"invoices", "clients", "expenses", "catalog", "tasks", "team", "context", "vendors", "mcp"}
    assert everybodys | {"cashRegister"} <= set(me["modules"])


async def test_only_the_owner_sees_the_teams_key(kernel, ana, rosa):
    await set_role(kernel, team_id=ana.team["id"], user_email="rosa@example.com", role="admin")

    hers = (await rosa.get("/api/teams/current"))["team"]

    assert hers["apiKey"] is None
    assert (await ana.get("/api/teams/current"))["team"]["apiKey"] == ana.team["apiKey"]
