"""People who see and decide a proposal: who holds all rights that its operation and card need, and its proposer."""

import base64
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest

from ledgerkit.core.platform.request.permissions import Role
from support.api import CLIENT, Api
from support.database import set_role
from support.payables import create_vendor, record_invoice
from support.scopes import with_scoped_key

PDF = b"%PDF-1.4\n%%EOF\n"
FEEDS = ("/api/invoices/activity/feed?limit=100", "/api/activity/history?limit=100")


@pytest.fixture
def joined(office, ana) -> Callable[[Role], Awaitable[Api]]:
    """A new person with a role in Ana's team."""

    async def join(role: Role) -> Api:
        person = await Api.register(office.client, f"{uuid4().hex}@example.com", name=f"Persona {role.value}")
        await set_role(office.kernel, team_id=ana.team["id"], user_email=person.email, role=role.value)
        return person

    return join


async def proposal_of(api: Api, operation: str, **arguments: Any) -> Any:
    return await api.post("/api/approvals", {"operation": operation, "arguments": arguments})


async def user_id(api: Api) -> str:
    return (await api.get("/auth/me"))["user"]["id"]


async def removal(ana: Api, member: Api) -> Any:
    return await proposal_of(ana, "teams.members.remove_member", id=await user_id(member))


async def undoing_of_a_bill(ana: Api, _member: Api) -> Any:
    await record_invoice(ana, await create_vendor(ana, "Papelera Secreta"), invoiceNumber="S-1")
    return await proposal_of(ana, "undoing.undo", count=1)


async def undoing_of_what_stays(ana: Api, _member: Api) -> Any:
    """A card tells of a cancelled bill, which has no way back, beside a change that every member may take back."""
    client = await ana.post("/api/clients", {"name": "Cristales Ebro"})
    bill = await record_invoice(ana, await create_vendor(ana, "Papelera Secreta"), invoiceNumber="S-2")
    await ana.put(f"/api/supplier-invoices/{bill['id']}/cancel", {"reason": "Duplicada"})
    await ana.put(f"/api/clients/{client['id']}", {"phone": "600000000"})
    return await proposal_of(ana, "undoing.undo", count=2)


async def closing_of_a_till(ana: Api, _member: Api) -> Any:
    till = await ana.post("/api/cash-register", {"openingAmount": 100})
    return await proposal_of(ana, "cash_register.close", id=till["id"], closingAmount=90)


async def deletion_of_a_file(ana: Api, _member: Api) -> Any:
    bill = await record_invoice(ana, await create_vendor(ana, "Papelera Secreta"), invoiceNumber="S-3")
    content = f"data:application/pdf;base64,{base64.b64encode(PDF).decode()}"
    place = {"documentType": "supplier_invoice", "documentId": bill["id"]}
    file = await ana.post("/api/attachments", {"name": "secreta.pdf", "content": content, **place})
    return await proposal_of(ana, "attachments.delete", id=file["id"])


async def change_of_a_draft(ana: Api, _member: Api) -> Any:
    draft = await ana.post("/api/invoices", {"client": CLIENT, "items": [{"description": "x", "unitPrice": 10}]})
    return await proposal_of(ana, "invoices.update", id=draft["id"], notes="Otra nota")


ACTS = [
    removal,
    undoing_of_a_bill,
    undoing_of_what_stays,
    closing_of_a_till,
    deletion_of_a_file,
    change_of_a_draft,
]


async def titles(api: Api, path: str) -> list[str]:
    return [entry["entityLabel"] for entry in await api.get(path) if entry["entityType"] == "approval"]


@pytest.mark.parametrize("act", ACTS)
async def test_who_lacks_a_right_that_the_card_needs_neither_sees_nor_decides_it(office, ana, joined, act):
    member, viewer, admin = [await joined(role) for role in (Role.MEMBER, Role.VIEWER, Role.ADMIN)]
    stranger = await office.account("Berta Gil")
    proposal = await act(ana, member)
    path = f"/api/approvals/{proposal['id']}"

    for person in (member, stranger):
        assert await person.get("/api/approvals") == []
        assert await person.get("/api/approvals?status=pending") == []
        await person.refused(404, "GET", path)
        await person.refused(404, "POST", f"{path}/approve")
        await person.refused(404, "POST", f"{path}/reject", {})
    await viewer.refused(403, "GET", path)
    for feed in FEEDS:
        assert await titles(member, feed) == [], feed
        assert await titles(viewer, feed) == [], feed
        assert await titles(admin, feed) == [proposal["title"]], feed

    assert await admin.get(path) == proposal
    assert [one["id"] for one in await admin.get("/api/approvals?status=pending")] == [proposal["id"]]
    assert (await admin.post(f"{path}/approve"))["status"] == "done"
    for feed in FEEDS:
        assert await titles(viewer, feed) == [], feed
        assert len(await titles(admin, feed)) == 2, feed


async def test_the_owner_of_a_draft_proposes_and_rejects_what_no_colleague_may_change(ana, joined):
    member, colleague, admin = [await joined(role) for role in (Role.MEMBER, Role.MEMBER, Role.ADMIN)]
    first, second, third = [await change_of_a_draft(member, colleague) for _ in range(3)]

    assert await colleague.get("/api/approvals") == []
    await colleague.refused(404, "POST", f"/api/approvals/{first['id']}/reject", {})
    assert len(await member.get("/api/approvals?status=pending")) == 3
    assert len(await titles(member, FEEDS[0])) == 3
    assert await titles(colleague, FEEDS[0]) == []
    assert (await member.post(f"/api/approvals/{first['id']}/reject", {}))["status"] == "rejected"
    assert (await member.post(f"/api/approvals/{second['id']}/approve"))["status"] == "done"
    assert (await admin.post(f"/api/approvals/{third['id']}/approve"))["status"] == "done"


async def test_nobody_but_admins_decides_that_a_member_leaves(ana, joined):
    member, colleague = await joined(Role.MEMBER), await joined(Role.MEMBER)
    proposal = await removal(member, member)
    path = f"/api/approvals/{proposal['id']}"

    await colleague.refused(404, "POST", f"{path}/reject", {})
    assert (await ana.get(path))["title"] == proposal["title"]
    assert (await member.post(f"{path}/reject", {}))["status"] == "rejected"


async def test_an_undo_is_not_shown_anew_with_lower_rights_than_the_proposers(ana, joined):
    """Meanwhile the proposer's last write is another one, which the approver may not take back."""
    clerk = await joined(Role.OPERATIONS)
    await ana.post("/api/tasks", {"title": "Llamar"})
    proposal = await proposal_of(ana, "undoing.undo", count=1)
    path = f"/api/approvals/{proposal['id']}"
    await ana.post("/api/clients", {"name": "Talleres Norte"})

    problem = await clerk.refused(403, "POST", f"{path}/approve")

    assert problem["code"] == "FORBIDDEN_ROLE"
    assert await ana.get(path) == proposal
    changed = await ana.refused(409, "POST", f"{path}/approve")
    assert changed["code"] == "APPROVAL_CHANGED"
    assert "Talleres Norte" in " ".join((await ana.get(path))["summary"])
    await clerk.refused(404, "GET", path)
    assert (await ana.post(f"{path}/approve"))["status"] == "done"
    assert await ana.get("/api/clients") == []


async def test_a_key_decides_only_what_its_scopes_cover_wholly(ana):
    key = await with_scoped_key(ana, "read", "write")
    await ana.put("/api/teams/current", {"city": "Bilbao"})
    proposal = await proposal_of(ana, "undoing.undo", count=1)
    path = f"/api/approvals/{proposal['id']}"

    problem = await key.refused(403, "POST", f"{path}/approve")

    assert (problem["code"], problem["requiredPermission"]) == ("INSUFFICIENT_SCOPE", "team:write")
    assert await ana.get(path) == proposal
    assert (await ana.post(f"{path}/approve"))["status"] == "done"


async def test_an_undo_is_not_shown_anew_to_its_proposer_with_fewer_rights(office, ana, joined):
    admin = await joined(Role.ADMIN)
    await admin.put("/api/teams/current", {"city": "Bilbao"})
    proposal = await proposal_of(admin, "undoing.undo", count=1)
    path = f"/api/approvals/{proposal['id']}"
    await set_role(office.kernel, team_id=ana.team["id"], user_email=admin.email, role="member")

    assert (await admin.refused(403, "POST", f"{path}/approve"))["code"] == "FORBIDDEN_ROLE"

    assert await admin.get(path) == proposal
    assert (await admin.post(f"{path}/reject", {}))["status"] == "rejected"


async def test_a_proposer_who_has_lost_a_right_that_it_needed_ends_the_proposal(office, ana, joined):
    admin, member = await joined(Role.ADMIN), await joined(Role.MEMBER)
    proposal = await removal(admin, member)
    await set_role(office.kernel, team_id=ana.team["id"], user_email=admin.email, role="member")

    problem = await ana.refused(409, "POST", f"/api/approvals/{proposal['id']}/approve")

    assert problem["code"] == "APPROVAL_SUPERSEDED"
    assert len((await ana.get("/api/teams/current"))["members"]) == 3


async def test_what_the_proposers_rights_leave_out_is_done_by_who_may_after_a_look(ana, joined):
    """A member's expense does not store its vendor; the approver's does, and the card then says so."""
    member, colleague = await joined(Role.MEMBER), await joined(Role.MEMBER)
    vendor = {"vendor": "Papelera del Sur", "vendorTaxId": "B12345674"}
    expense = {"description": "Papel", "amount": 121, "date": "2026-11-02", **vendor}
    proposal = await proposal_of(member, "expenses.create", **expense)
    path = f"/api/approvals/{proposal['id']}"
    assert (await colleague.get(path))["status"] == "pending"

    assert (await ana.refused(409, "POST", f"{path}/approve"))["code"] == "APPROVAL_CHANGED"

    await colleague.refused(404, "GET", path)
    assert (await member.get(path))["status"] == "pending"
    assert (await ana.post(f"{path}/approve"))["status"] == "done"
    assert len(await ana.get("/api/vendors")) == 1
