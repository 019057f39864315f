"""No assistant reads of a request of REST or of a setting of the server: texts name tools, or the web app."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

import ledgerkit
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.request import addresses
from ledgerkit.core.platform.request.context import Context, RequestMetadata
from ledgerkit.mcp_server import calls
from ledgerkit.mcp_server.shapes import Nothing
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.mcp_server.wording import for_assistants, worded
from ledgerkit.problems import Code, FieldError, Invalid
from ledgerkit.texts import ProblemText, fixed
from ledgerkit.texts.catalogues import catalogue
from support.api import invoice_body, item

SOURCES = Path(ledgerkit.__file__).parent
CATALOGUES = sorted(SOURCES.rglob("*.po"))
FOREIGN = re.compile(r"/api/|/auth/|LEDGERKIT_")
REQUEST = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE) (/(?:api|auth|oauth)/[\w/-]*(?:\{\w+\}[\w/-]*)*)")


def texts(path):
    """Every form of every text of a catalogue, as it stands when its values are filled in."""
    for forms in catalogue(path.parent, path.stem).values():
        for form in forms:
            yield form.replace("{{", "{").replace("}}", "}")


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: str(path.relative_to(SOURCES)))
def test_a_request_that_a_text_names_exists(path):
    named = {(match[1], match[2].rstrip("/")) for form in texts(path) for match in REQUEST.finditer(form)}

    assert {request for request in named if addresses.operation_at(*request) is None} == set()


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: str(path.relative_to(SOURCES)))
def test_no_text_names_a_request_or_a_setting_to_an_assistant(path):
    assert [form for form in texts(path) if FOREIGN.search(worded(form, path.stem))] == []


@pytest.mark.parametrize(
    ("language", "text", "shown"),
    [
        ("en", "Emit it with POST /api/einvoice/emit.", "Emit it with `emit_einvoice`."),
        ("es", "Corrígela con POST /api/einvoice/credit-note.", "Corrígela con `create_credit_note`."),
        ("en", "Find it with GET /api/vendors?search=..., then.", "Find it with `list_vendors {search: ...}`, then."),
        (
            "en",
            "If it holds, POST /api/einvoice/emit {invoiceId, correct: true}.",
            "If it holds, `emit_einvoice {invoiceId, correct: true}`.",
        ),
        (
            "en",
            "Mend it: PUT /api/invoices/0192f0c0-0000-7000-8000-000000000000.",
            "Mend it: `update_invoice`.",
        ),
        ("en", "Issue it with PATCH /api/invoices/{id}/pay.", "Issue it with `mark_invoice_paid`."),
        ("en", "Upload one with PUT /api/einvoice/certificate.", "Upload one in the web app."),
        ("es", "Súbelo (PUT /api/einvoice/certificate).", "Súbelo (en la aplicación web)."),
        ("ca", "Puja'l amb PUT /api/einvoice/certificate.", "Puja'l a l'aplicació web."),
        ("en", "Or not. GET /api/keys lists them.", "Or not. The web app lists them."),
        ("en", "Send it with `POST /auth/session/proof` {password} and repeat.", "Send it in the web app and repeat."),
        ("en", "Ask for more (LEDGERKIT_INVITATION_LIMIT).", "Ask for more."),
        ("es", "Pasa a producción (LEDGERKIT_EINVOICE_ENV=production) ya.", "Pasa a producción ya."),
        ("en", "Correct LEDGERKIT_VERIFACTU_SYSTEM_ID.", "Correct the server's settings."),
        ("en", "GET /openapi.json lists all.", "GET /openapi.json lists all."),
    ],
)
def test_what_stands_in_place_of_a_request(language, text, shown):
    assert worded(text, language) == shown


def test_texts_of_records_stay_as_their_writers_wrote_them():
    mine = {"notes": "POST /api/invoices (LEDGERKIT_PORT)", "warnings": ["Emit it with POST /api/einvoice/emit."]}

    assert for_assistants(mine, "en") == {"notes": mine["notes"], "warnings": ["Emit it with `emit_einvoice`."]}


# ---------------------------------------------------------------- problems over MCP


@pytest.mark.parametrize("detail", ["concise", "full"])
@pytest.mark.parametrize("language", ["en", "es", "ca"])
async def test_no_problem_of_any_code_names_them(kernel, ana, monkeypatch, language, detail):
    """Every text of the catalogues as message and remedy of a problem and of a field, under all codes in turn."""
    actor = await kernel.service(Authenticator).by_key(ana.api_key)
    everything = [form for path in CATALOGUES if path.stem == language for form in texts(path)]
    codes, results = list(Code), []
    for start in range(0, len(everything), 20):
        some, code = "\n".join(everything[start : start + 20]), codes[start // 20 % len(codes)]
        words: ProblemText = fixed(some, some, {})

        async def fail(_ctx, _arguments, words=words, code=code):
            error = FieldError(field="x", code="y", text=words)
            raise Invalid(
                words, code=code, errors=[error], extra={"result": {"errors": [{"message": words.wording().message}]}}
            )

        monkeypatch.setattr(calls, "TOOLS", {"whoami": replace(TOOLS["whoami"], run=fail, arguments=Nothing)})
        metadata = RequestMetadata(request_id="r1", language=language)
        context = Context(kernel=kernel, who=actor, request_metadata=metadata)
        done = await calls.call(context, "whoami", {"detail": detail})
        assert done.is_error
        results.append(done.content[0].text)

    assert len(results) > 60 or language == "ca"
    assert [found for result in results for found in FOREIGN.findall(result)] == []


async def provoked(site):
    """Results of many calls that somebody's assistant gets wrong."""
    ana = await site.person()
    agent = agent_of_ana = site.agent(ana)
    issued, draft = await ana.invoice(), await ana.invoice()
    record = await agent.ok("emit_einvoice", invoiceId=issued["id"])
    await agent.ok("save_vendor", name="Sol", taxId="B12345674")
    await agent.ok("open_cash_register", openingAmount=5)
    credit = {"invoiceId": draft["id"], "originalFiscalId": "x", "originalDate": "2026-01-01"}
    taken = await ana.invoice(items=[item(description="Diseño [sandbox:taken 605000]", unitPrice=7)])
    wrong = [
        ("update_invoice", {"id": issued["id"], "items": [item(unitPrice=1)]}),
        ("annul_einvoice", {"fiscalId": "nobody", "reason": "x"}),
        ("annul_einvoice", {"fiscalId": record["fiscalId"], "reason": "x", "confirmation_token": "x"}),
        ("create_credit_note", credit),
        ("create_credit_note", {**credit, "invoiceId": issued["id"]}),
        ("emit_einvoice", {"invoiceId": taken["id"]}),
        ("emit_einvoice", {"invoiceId": issued["id"], "correct": True}),
        ("send_invoice", {"id": (await ana.invoice(client={"name": "Sin correo"}))["id"]}),
        ("save_vendor", {"name": "SOL", "taxId": "B12345674"}),
        ("open_cash_register", {"openingAmount": 1}),
        ("get_document", {"kind": "einvoice_xml", "id": draft["id"]}),
        ("get_document", {"kind": "declaration_pdf"}),
        ("create_invoice", invoice_body(rectifies=issued["id"], docType="credit_note", currency="USD")),
        ("invite_member", {"email": ana.email, "role": "viewer"}),
        ("move_task", {"id": "x", "status": "done", "complete": True}),
        ("generate_tax_declaration", {"country": "ES", "form": "999", "year": 2026, "period": "Q1"}),
        ("scan_receipt", {"image": "data:image/png;base64,AAAA"}),
        ("get_cash_register", {"view": "register"}),
        ("adjust_stock", {}),
    ]
    bodies = [{}, {"id": "x"}, {"id": ""}, {"cursor": "x", "limit": 0}, {"detail": "x"}, {"other": {"a": 1}, "b": []}]
    viewer, unknown = await site.colleague(ana, "viewer"), await site.person(tax_id=None)
    refused, off = await ana.invoice(items=[item(description="Diseño [sandbox:reject 1100]")]), await site.person()
    await off.put("/api/teams/current", {"einvoicing": "off"})
    for agent, invoice in ((site.agent(unknown), await unknown.invoice()), (site.agent(off), await off.invoice())):
        yield "emit_einvoice", await agent.call("emit_einvoice", invoiceId=invoice["id"])
    yield "create_invoice", await site.agent(viewer).call("create_invoice", **invoice_body())
    for invoice in (refused, taken):
        preview = await agent_of_ana.preview("emit_einvoice", invoiceId=invoice["id"])
        token = preview["confirmationToken"]
        yield (
            "emit_einvoice",
            await agent_of_ana.call("emit_einvoice", invoiceId=invoice["id"], confirmation_token=token),
        )
    for language in ("en", "es", "ca"):
        speaking = site.agent(ana, **{"Accept-Language": language})
        for tool, arguments in [*wrong, *((tool, body) for tool in TOOLS for body in bodies)]:
            yield tool, await speaking.call(tool, **arguments)


async def test_no_refusal_names_them_says_a_thing_twice_or_carries_a_picture(site):
    codes, refused = set(), 0
    async for tool, answer in provoked(site):
        body = json.dumps(answer.body, ensure_ascii=False)
        assert not FOREIGN.search(body), (tool, body)
        if answer.failed:
            refused += 1
            codes.add(answer.body["code"])
            assert len(body.encode()) < 2_000, (tool, body)
            assert {"title", "type", "detail", "error", "instance", "translations"}.isdisjoint(answer.body), body
            assert "data:image" not in body
            told = [answer.body.get("message"), answer.body.get("remedy")]
            told += [error.get(name) for error in answer.body.get("errors", []) for name in ("message", "remedy")]
            if len(answer.body.get("errors", [])) < 2:
                assert len([text for text in told if text]) == len({text for text in told if text}), body
            assert answer.body.get("message") or answer.body.get("errors"), body

    assert refused > 500
    assert codes >= {"AUTHORITY_REJECTED", "NUMBER_TAKEN", "EINVOICING_OFF", "ISSUER_INCOMPLETE", "FORBIDDEN_ROLE"}
    assert len(codes) >= 15, codes


async def test_a_resource_that_is_refused_names_the_tool(site):
    ana = await site.person()
    draft = await ana.invoice()

    async with site.agent(ana).connected() as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(f"ledgerkit://invoices/{draft['id']}/xml")

    assert caught.value.error.data["remedy"] == "Emit it with `emit_einvoice`."


async def test_the_remedy_for_an_unknown_id_is_the_call_that_shows_those_that_there_are(site):
    agent = site.agent(await site.person())
    unknown = "0192f0c0-0000-7000-8000-000000000000"
    calls = {
        "list_clients": ("get_client", {"id": unknown}),
        "list_expenses": ("get_expense", {"id": unknown}),
        "list_invoices": ("get_invoice", {"id": unknown}),
        "list_supplier_invoices": ("get_supplier_invoice", {"id": unknown}),
        "list_tasks": ("get_task", {"id": unknown}),
        "list_tax_declarations": ("get_tax_declaration", {"id": unknown}),
        "list_vendors": ("get_vendor", {"id": unknown}),
        "list_catalog_items": ("adjust_stock", {"itemId": unknown, "delta": 1}),
        "get_cash_register {view: history}": ("get_cash_register", {"view": "register", "id": unknown}),
        "get_team": ("remove_member", {"memberId": unknown}),
    }

    remedies = {call: (await agent.refused(tool, **arguments))["remedy"] for call, (tool, arguments) in calls.items()}

    assert {call: remedy for call, remedy in remedies.items() if f"`{call}`" not in remedy} == {}


async def test_the_remedy_for_a_box_that_a_form_does_not_have_names_its_boxes(site):
    agent = site.agent(await site.person())
    form = await agent.ok("generate_tax_declaration", country="ES", form="303", year=2026, period="Q1")

    unread = await agent.refused("get_tax_declaration", id=form["id"], box="999")
    unchanged = await agent.refused("update_tax_declaration", id=form["id"], manualOverrides={"999": 1})

    for problem in (unread, unchanged):
        told = problem.get("remedy", "") + str(problem["errors"])
        assert "07" in told
        assert "boxNames" not in told
