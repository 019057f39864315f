"""Roles, scopes and modules decide on tools; and no tool shows another account anything."""

import re
from dataclasses import replace

import pytest

from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect
from ledgerkit.core.platform.request.permissions import ROLE_PERMISSIONS, Permission, Role
from ledgerkit.core.platform.request.scopes import Scope, permissions_of
from ledgerkit.core.teams import operations as teams
from ledgerkit.mcp_server import tools
from ledgerkit.mcp_server.tool import Module
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.problems import Forbidden, OutOfScope
from support.api import invoice_body

ROLES = pytest.mark.parametrize("role", list(Role))


@pytest.fixture
async def owner(kernel, ana):
    return Context(kernel=kernel, who=await kernel.service(Authenticator).by_key(ana.api_key))


def acting(ctx, role, scopes=tuple(Scope), client=None):
    """A context of the account in another role, with credentials of these scopes; `client` for an OAuth token."""
    actor = replace(ctx.actor, role=role, permissions=ROLE_PERMISSIONS[role])
    prefix = None if client else actor.key_prefix
    return replace(ctx, who=replace(actor.narrowed(permissions_of(scopes)), client=client, key_prefix=prefix))


def names(ctx):
    return [tool.name for tool in tools.listed(ctx)]


@ROLES
def test_a_role_sees_the_tools_of_which_it_may_use_an_operation(owner, role):
    """One that writes, if the tool has such: what else it reads, as names beside ids, opens no tool."""
    granted = ROLE_PERMISSIONS[role]

    def wanted(tool):
        writing = {each.permission for each in tool.declared if Effect.READ_ONLY not in each.effects}
        return writing or {each.permission for each in tool.declared}

    assert names(acting(owner, role)) == [name for name, tool in TOOLS.items() if wanted(tool) & granted]
    assert ("save_task" in names(acting(owner, role))) == (role is not Role.VIEWER)


def test_roles_see_more_and_more(owner):
    sizes = {role: len(names(acting(owner, role))) for role in Role}

    assert sizes[Role.OWNER] == sizes[Role.ADMIN] == len(TOOLS)
    assert sizes[Role.VIEWER] < sizes[Role.MEMBER] < sizes[Role.OPERATIONS] < sizes[Role.ADMIN]
    assert "emit_einvoice" not in names(acting(owner, Role.OPERATIONS))


@ROLES
@pytest.mark.parametrize("scopes", [(Scope.READ,), (Scope.READ, Scope.WRITE), (Scope.READ, Scope.FISCAL), tuple(Scope)])
def test_a_key_sees_the_tools_of_its_scopes_and_a_signed_in_client_all_of_its_role(owner, role, scopes):
    everything = names(acting(owner, role))

    by_key = names(acting(owner, role, scopes))
    by_token = names(acting(owner, role, scopes, client="Claude"))

    assert by_key == [name for name in everything if TOOLS[name].scope in scopes]
    assert by_token == everything


@ROLES
@pytest.mark.parametrize("scopes", [(Scope.READ,), (Scope.READ, Scope.WRITE), tuple(Scope)])
def test_what_is_not_listed_says_what_is_missing(owner, role, scopes):
    ctx = acting(owner, role, scopes)
    visible = names(ctx)

    for name, tool in TOOLS.items():
        if name in visible:
            tools.check(ctx, tool)
        elif tool.scope not in scopes:
            with pytest.raises(OutOfScope) as caught:
                tools.check(ctx, tool)
            assert caught.value.extra == {"requiredScope": tool.scope.value}
        else:
            with pytest.raises(Forbidden) as refused:
                tools.check(ctx, tool)
            assert refused.value.extra["requiredRoles"]


@pytest.mark.parametrize("module", [module for module in Module if module is not Module.CORE])
def test_a_closed_module_hides_its_tools_and_says_so(owner, monkeypatch, module):
    open_areas = [area for area in teams.modules(owner) if area not in module.areas]
    monkeypatch.setattr(teams, "modules", lambda _ctx: open_areas)
    hidden = [name for name, tool in TOOLS.items() if tool.module is module]

    assert set(names(owner)) == TOOLS.keys() - set(hidden)
    with pytest.raises(Forbidden) as caught:
        tools.check(owner, TOOLS[hidden[0]])
    assert caught.value.extra == {"requiredModule": module.value}


def test_credentials_without_the_team_scope_remove_nobody(owner):
    """The operation is open to all who may leave a team; the tool is for the scope that changes teams."""
    ctx = acting(owner, Role.OWNER, (Scope.READ, Scope.WRITE))

    assert ctx.actor.may(Permission.TEAM_READ)
    with pytest.raises(OutOfScope):
        tools.check(ctx, TOOLS["remove_member"])


async def test_the_list_of_a_viewer_over_the_wire(site):
    ana = await site.person()
    victor = await site.colleague(ana, "viewer")

    async with site.agent(victor).connected() as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]

    assert "list_invoices" in listed
    assert {"create_invoice", "emit_einvoice", "delete_record", "invite_member"}.isdisjoint(listed)
    assert listed == sorted(listed)


# ---------------------------------------------------------------- accounts


async def filled(agent):
    """Ids of one record of each kind."""
    invoice = await agent.ok("create_invoice", **invoice_body())
    record = await agent.ok("emit_einvoice", invoiceId=invoice["id"])
    vendor = await agent.ok("save_vendor", name="Sol, S.L. secreta")
    expense = {"description": "secreta", "amount": 1, "date": "2026-03-02", "vendorId": vendor["id"]}
    supplier_invoice = {"vendorId": vendor["id"], "invoiceDate": "2026-03-02", "total": 10}
    declaration = {"country": "ES", "year": 2026, "period": "Q1", "form": "303"}
    return {
        "invoice": invoice["id"],
        "client": invoice["clientId"],
        "fiscal": record["fiscalId"],
        "vendor": vendor["id"],
        "expense": (await agent.ok("create_expense", **expense))["id"],
        "bill": (await agent.ok("create_supplier_invoice", **supplier_invoice))["id"],
        "task": (await agent.ok("save_task", title="secreta"))["id"],
        "item": (await agent.ok("save_catalog_item", name="Taza secreta", stock=5))["id"],
        "declaration": (await agent.ok("generate_tax_declaration", **declaration))["id"],
        "register": (await agent.ok("open_cash_register", openingAmount=1))["id"],
        "member": (await agent.ok("get_team"))["members"][0]["id"],
    }


def calls(ids):
    """One call of every tool that takes an id, with the id of another account."""
    invoice, bill, day = ids["invoice"], ids["bill"], "2026-03-02"
    return {
        "add_cash_movement": {"id": ids["register"], "type": "cash_in", "amount": 1, "description": "x"},
        "adjust_stock": {"itemId": ids["item"], "delta": 1},
        "annul_einvoice": {"fiscalId": ids["fiscal"], "reason": "x"},
        "cancel_supplier_invoice": {"id": bill},
        "close_cash_register": {"id": ids["register"], "closingAmount": 1},
        "create_credit_note": {"invoiceId": invoice, "originalFiscalId": ids["fiscal"], "originalDate": day},
        "delete_record": {"kind": "invoice", "id": invoice},
        "duplicate_invoice": {"id": invoice},
        "emit_einvoice": {"invoiceId": invoice},
        "get_cash_register": {"view": "register", "id": ids["register"]},
        "get_client": {"id": ids["client"]},
        "get_document": {"kind": "invoice_pdf", "id": invoice},
        "get_einvoice_status": {"invoiceId": invoice},
        "get_expense": {"id": ids["expense"]},
        "get_invoice": {"id": invoice},
        "get_supplier_invoice": {"id": bill},
        "get_task": {"id": ids["task"]},
        "get_tax_declaration": {"id": ids["declaration"]},
        "get_vendor": {"id": ids["vendor"]},
        "list_supplier_payments": {"id": bill},
        "mark_invoice_paid": {"id": invoice},
        "move_task": {"id": ids["task"], "status": "done"},
        "record_supplier_payment": {"id": bill, "amount": 1, "paymentMethod": "cash"},
        "remove_member": {"memberId": ids["member"]},
        "save_catalog_item": {"id": ids["item"], "name": "x"},
        "save_client": {"id": ids["client"], "name": "x"},
        "save_task": {"id": ids["task"], "title": "x"},
        "save_vendor": {"id": ids["vendor"], "name": "x"},
        "send_invoice": {"id": invoice},
        "set_member_role": {"memberId": ids["member"], "role": "viewer"},
        "share_invoice": {"id": invoice},
        "lock_tax_declaration": {"id": ids["declaration"]},
        "update_expense": {"id": ids["expense"], "notes": "x"},
        "update_invoice": {"id": invoice, "notes": "x"},
        "update_tax_declaration": {"id": ids["declaration"], "notes": "x"},
    }


def test_every_tool_that_takes_an_id_is_in_the_sweep():
    needing = {
        name
        for name, tool in TOOLS.items()
        if any(re.fullmatch("id|itemId|memberId|invoiceId|fiscalId", field) for field in tool.schema["properties"])
    }

    ids = dict.fromkeys(
        [
            "invoice",
            "client",
            "fiscal",
            "vendor",
            "expense",
            "bill",
            "task",
            "item",
            "declaration",
            "register",
            "member",
        ],
        "x",
    )
    assert calls(ids).keys() == needing - {"get_history", "undo"}


async def test_the_log_knows_nothing_of_another_accounts_records(site):
    ana, berta = await site.person(), await site.person("Berta Gil")
    record = {"type": "invoice", "id": (await ana.invoice())["id"]}
    agent = site.agent(berta)

    assert (await agent.ok("get_history", **record))["items"] == []
    assert (await agent.ok("undo", **record)).get("entries", []) == []
    assert (await site.agent(ana).ok("get_history", **record))["items"] != []


async def test_ids_of_another_account_do_not_exist(site):
    ana, berta = await site.person(), await site.person("Berta Gil")
    ids = await filled(site.agent(ana))
    before = await site.agent(ana).ok("get_invoice", id=ids["invoice"])
    agent = site.agent(berta)

    codes = {name: (await agent.refused(name, **arguments))["code"] for name, arguments in calls(ids).items()}

    unknown = await agent.refused("annul_einvoice", fiscalId="nobody's", reason="x")
    assert {name: code for name, code in codes.items() if code != "NOT_FOUND"} == {"annul_einvoice": unknown["code"]}
    assert await site.agent(ana).ok("get_invoice", id=ids["invoice"]) == before


READING = [name for name, tool in TOOLS.items() if tool.published.annotations.read_only_hint]
VIEWS = {
    "get_cash_register": [{"view": view} for view in ("current", "open", "history", "summary")],
    "get_payables": [{"view": view} for view in ("summary", "aging", "by_vendor", "alerts")],
    "get_report": [
        {"kind": kind} for kind in ("profit_loss", "cash_flow", "tax_summary", "vat_balance", "income_summary")
    ],
    "list_catalog_items": [{"view": view} for view in ("items", "low_stock", "categories")],
    "list_tasks": [{"view": view} for view in ("all", "mine", "overview")],
    "list_tax_declarations": [{"view": view} for view in ("declarations", "calendar", "supported")],
}


async def test_what_is_read_without_an_id_shows_nothing_of_another_account(site):
    ana, berta = await site.person(), await site.person("Berta Gil")
    ids = await filled(site.agent(ana))
    agent = site.agent(berta)
    without_id = [name for name in READING if not TOOLS[name].schema.get("required") or name in VIEWS]
    asked = [(name, arguments) for name in without_id for arguments in VIEWS.get(name, [{}])]

    shown = " ".join([str(await agent.ok(name, **arguments)) for name, arguments in asked])

    assert len(asked) > 25
    assert [kind for kind, record_id in ids.items() if record_id in shown] == []
    assert "secreta" not in shown
    assert ana.team["id"] not in shown
