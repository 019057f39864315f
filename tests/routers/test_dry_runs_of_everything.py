"""Every operation runs dry: it answers what it would answer, and leaves nothing behind."""

import json
import re
from dataclasses import replace
from datetime import date
from uuid import UUID

import pytest
from aiosmtpd.smtp import SMTP

from ledgerkit import clock
from ledgerkit.core.einvoice.inspection import unrecorded, verification
from ledgerkit.core.einvoice.inspection.walk import Stretch
from ledgerkit.core.einvoice.signed_mode import requests, scan
from ledgerkit.core.einvoice.signed_mode.api import DemandInput
from ledgerkit.core.einvoice.transmission import reconciliation
from ledgerkit.core.einvoice.transmission.sender import Transmitter
from ledgerkit.core.operation.downloads import operations as downloads
from ledgerkit.core.operation.downloads.api import LinkedDocument
from ledgerkit.core.platform.ai import operations as ai
from ledgerkit.core.platform.attachments import operations as attachments
from ledgerkit.core.platform.attachments.uploads.contents import Content
from ledgerkit.core.platform.credentials import operations as credentials
from ledgerkit.core.platform.credentials.pages import forms
from ledgerkit.core.platform.identity import operations as identity
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.identity.api import Credentials, Registration
from ledgerkit.core.platform.request.context import Context, RequestMetadata
from ledgerkit.core.platform.request.operation import OPERATIONS
from ledgerkit.core.platform.request.previews import StepLeftOutError
from ledgerkit.core.platform.request.texts import DryRunMsg
from ledgerkit.core.purchases.vendors import operations as vendors
from ledgerkit.core.sales.invoices.public_links import operations as public_links
from ledgerkit.core.teams import operations as teams
from ledgerkit.core.teams.invitations import acceptance
from ledgerkit.openapi import _declarations
from ledgerkit.problems import Invalid
from ledgerkit.providers.registry import Registry
from ledgerkit.texts import text
from support import callgraph, tiny_country
from support.api import PASSWORD, Api
from support.footprint import changed, footprint
from support.interface import built
from support.letters import Mailbox
from support.mailserver import Inbox, listening
from support.office import cloned, emit, eventually, opened
from support.sampling import sampled
from support.scenes import ALL, ENDING, address, body, prepared, scene
from support.tills import line, sale
from support.work import worked_off

DRY = {"Dry-Run": "true"}
PASSWORDS = {"password": PASSWORD}

CHANGING = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|[+-]\d\d:\d\d)"
    r"|[\w+/=.-]{36,}|(?<=\")[\w-]{22}(?=\")|lk_live_\w+|not issued: dry run|lks_[\w-]+"
)
"""Ids, moments, tokens and fingerprints: they differ in any two answers."""

REFUSED = {
    "POST /api/expenses/scan-receipt",
    "POST /api/catalog/import-invoice",
    "POST /api/einvoice/annul",
    "POST /api/einvoice/credit-note",
    "GET /api/einvoice/download/{id}",
    "GET /api/einvoice/xml/{id}",
    "GET /api/einvoice/events/xml",
    "POST /api/go-live",
    "POST /api/teams/current",
}
"""Requests of the scenes that need an engine, an accepted record, the signed mode, production's settings or no team.

They are refused dry as well.
"""

ANSWERED_ELSEWHERE = {
    "POST /auth/session",
    "POST /api/einvoice/emit",
    "POST /api/expenses/categorize",
    "POST /api/einvoice/certificate/test",
    "POST /api/approvals",
    "POST /api/approvals/{id}/approve",
}
"""Answers that depend on a step that is left out, and is named."""


def lasting(answer):
    return json.loads(CHANGING.sub("", json.dumps(answer)))


def named(*steps):
    return [text(step).in_language("en") for step in steps]


@pytest.fixture
def inbox():
    return Inbox()


async def at_rest(office):
    """Wait until every record is answered, and stop looking for more: from here on nothing happens by itself."""

    async def all_answered():
        return not await office.rows("select 1 from fiscal_status where state in ('pending', 'unknown')")

    await eventually(all_answered)
    await office.kernel.service(Transmitter).stop()


def with_the_tiny_country(office):
    state = office.client._transport.app.state
    countries = {**state.kernel.countries.countries, tiny_country.country.code: tiny_country.country}
    office.kernel = state.kernel = replace(state.kernel, countries=Registry(countries))
    return office


@pytest.fixture
async def office(postgres, tmp_path, cheap_passwords):
    async with (
        cloned(postgres) as url,
        opened(url, tmp_path, cheap_passwords, worker="apart", telegram_token="1:of the tests") as office,
    ):
        yield with_the_tiny_country(office)


async def dry_and_real(office, ana, row, made):
    """Difference that a dry run of a row left, its answer, and the answer of the same request made afterwards."""
    ask = ALL[row]
    await ana.log_in()
    await ana.post(f"/api/teams/switch/{ana.team['id']}")
    ids = await prepared(ana, ask, made)
    method, path = address(row, ids, ask)
    await ana.get("/auth/me")  # notes that the caller was active
    before = await footprint(office.kernel)
    dry = await ana.request(method, path, body(ask, ids), **DRY)
    difference = changed(before, await footprint(office.kernel))
    return difference, dry, await ana.request(method, path, body(ask, ids))


@pytest.mark.whole
async def test_no_request_leaves_anything_behind_and_each_answers_as_it_does_then(office):
    ana = await Api.with_team(office.client, "ana@example.com", "Ana Ruiz", "12345678Z")
    made = await scene(ana)
    await at_rest(office)
    left_behind, refused, otherwise = {}, set(), {}

    rows = sampled([one.name for one in built()])
    for row in sorted(rows, key=lambda name: ENDING.get(name, 0)):
        difference, dry, real = await dry_and_real(office, ana, row, made)
        if difference:
            left_behind[row] = difference
        if not dry.is_success:
            refused.add(row)
            assert (dry.status_code, dry.json()["code"]) == (real.status_code, real.json()["code"]), row
            continue
        preview = dry.json()
        assert (preview["dryRun"], preview["status"]) == (True, real.status_code), row
        if not real.headers.get("content-type", "").startswith("application/json"):
            assert preview["answer"] is None
            assert named(DryRunMsg.FILE)[0] in preview["leftOut"]
        elif lasting(preview["answer"]) != lasting(real.json()):
            assert preview["leftOut"], row
            otherwise[row] = preview["leftOut"]

    assert left_behind == {}
    assert refused == REFUSED & set(rows)
    assert set(otherwise) == ANSWERED_ELSEWHERE & set(rows)


async def test_a_company_that_is_set_up_dry_stays_a_personal_workspace(office):
    eva = await Api.register(office.client, "eva@example.com")
    request = ("POST", "/api/teams/current", ALL["POST /api/teams/current"].body)
    await at_rest(office)
    before = await footprint(office.kernel)

    dry = await eva.request(*request, **DRY)

    assert not changed(before, await footprint(office.kernel))
    real = await eva.request(*request)
    assert dry.json()["status"] == real.status_code
    assert lasting(dry.json()["answer"]) == lasting(real.json())


async def links(office, ana):
    """A token for each page behind a link."""
    mailbox, tokens = Mailbox(office.kernel.settings.data_dir / "mail"), {}
    eva = await Api.register(office.client, "eva@example.com")
    await eva.post("/auth/verify/resend")
    await worked_off(office.kernel)
    tokens["verify"] = mailbox.token("eva@example.com", "verify")
    await eva.post("/auth/password/forgot", {"email": "eva@example.com"})
    await worked_off(office.kernel)
    tokens["reset"] = mailbox.token("eva@example.com", "reset")
    await ana.refused(404, "POST", "/api/teams/current/invite", {"email": "rosa@example.com"})
    tokens["join"] = mailbox.token("rosa@example.com")
    shared = await ana.post(f"/api/invoices/{(await ana.invoice())['id']}/share")
    tokens["share"] = shared["shareUrl"].rpartition("/")[2]
    return tokens


async def test_what_pages_behind_links_do_runs_dry(office):
    ana = await Api.with_team(office.client, "ana@example.com", "Ana Ruiz", "12345678Z")
    tokens = await links(office, ana)
    await at_rest(office)
    another = "three or four words"
    calls = [
        lambda ctx: credentials.recipient(ctx, tokens["verify"], "verification"),
        lambda ctx: forms.use_link(ctx, tokens["verify"], PASSWORD, "verification"),
        lambda ctx: forms.use_link(ctx, tokens["reset"], another, "reset"),
        lambda ctx: forms.ask_for_link(ctx, "eva@example.com"),
        lambda ctx: acceptance.welcome(ctx, tokens["join"]),
        lambda ctx: acceptance.accept_invitation(ctx, tokens["join"], another, "Rosa", None),
        lambda ctx: public_links.shared_document(ctx, tokens["share"], by_recipient=True),
        lambda ctx: public_links.shared_pdf(ctx, tokens["share"], by_recipient=True),
    ]
    before = await footprint(office.kernel)

    for call in calls:
        metadata = RequestMetadata(dry_run=True)
        await call(Context(kernel=office.kernel, request_metadata=metadata))
        assert metadata.preview.writes == []

    assert changed(before, await footprint(office.kernel)) == set()


async def test_a_problem_that_leaves_something_done_shows_what(office):
    ana = await Api.with_team(office.client, "ana@example.com", "Ana Ruiz", "12345678Z")
    before = await footprint(office.kernel)

    answer = await ana.request("POST", "/api/teams/current/invite", {"email": "rosa@example.com"}, **DRY)

    preview = answer.json()
    assert (answer.status_code, preview["status"], preview["answer"]["code"]) == (200, 404, "USER_NOT_REGISTERED")
    assert (preview["leftOut"], len(preview["writes"])) == (named(DryRunMsg.MAIL), 1)
    assert changed(before, await footprint(office.kernel)) == set()


STRETCH = Stretch()
STAGED = Content("a" * 64, 4, "application/pdf", clock.now())
WITHOUT_A_ROUTE = {
    "ai.balance": ai.balance,
    "attachments.add": lambda ctx: attachments.add(ctx, STAGED, "a.pdf", None),
    "downloads.link": lambda ctx: downloads.link(ctx, LinkedDocument.CATALOG_CSV),
    "einvoice.inspection.begin_anew": lambda ctx: verification.begin_anew(ctx, "moved"),
    "einvoice.inspection.verify": lambda ctx: verification.verify(ctx, STRETCH),
    "einvoice.signed_mode.answer_request": lambda ctx: requests.answer_request(
        ctx, DemandInput(reference="R1", since=date(2026, 1, 1), until=date(2026, 12, 31))
    ),
    "einvoice.signed_mode.scan": scan.scan,
    "einvoice.inspection.list_unrecorded": unrecorded.list_unrecorded,
    "einvoice.transmission.reconcile": lambda ctx: reconciliation.reconcile(
        ctx, ctx.account.today().year, ctx.account.today().month
    ),
    "einvoice.transmission.resume": reconciliation.resume,
    "teams.whoami": teams.whoami,
}
"""Operations that no request reaches, as commands and tools call them."""
REFUSED_WITHOUT_A_ROUTE = {"einvoice.signed_mode.answer_request"}
LEFT_OUT_WITHOUT_A_ROUTE = {"einvoice.transmission.reconcile"}


async def test_operations_without_a_route_run_dry(office):
    ana = await Api.with_team(office.client, "ana@example.com", "Ana Ruiz", "12345678Z")
    await emit(ana, await ana.invoice())
    vendor = await ana.post("/api/vendors", {"name": "Papelería Sol"})
    await at_rest(office)
    system = await accounts.system_context(office.kernel, UUID(ana.team["id"]))
    operations = WITHOUT_A_ROUTE | {"vendors.get": lambda ctx: vendors.get(ctx, vendor["id"])}
    before, refused, left_out = await footprint(office.kernel), set(), set()

    for name, call in operations.items():
        metadata = RequestMetadata(dry_run=True)
        try:
            await call(replace(system, request_metadata=metadata))
        except Invalid:
            refused.add(name)
        except StepLeftOutError:
            left_out.add(name)
        assert name in refused or metadata.preview is not None

    assert changed(before, await footprint(office.kernel)) == set()
    assert (refused, left_out) == (REFUSED_WITHOUT_A_ROUTE, LEFT_OUT_WITHOUT_A_ROUTE)


async def test_a_registration_and_a_login_run_dry(office):
    await Api.register(office.client, "ana@example.com")
    before = await footprint(office.kernel)
    nobody = Context(kernel=office.kernel, request_metadata=RequestMetadata(dry_run=True))

    async def then(_ctx, _user):
        pass

    registered = await identity.register(nobody, Registration(email="eva@example.com", password=PASSWORD), then)
    logged_in = await identity.login(nobody, Credentials(email="ana@example.com", password=PASSWORD))

    assert {registered.token, registered.api_key, logged_in.token, logged_in.api_key} == {"not issued: dry run"}
    assert changed(before, await footprint(office.kernel)) == set()


OF_PAGES = {
    "credentials.recipient",
    "credentials.pages.ask_for_link",
    "credentials.pages.use_link",
    "invoices.public_links.shared_document",
    "invoices.public_links.shared_pdf",
    "teams.invitations.accept_invitation",
    "teams.invitations.welcome",
}
NEVER = {
    "downloads.opened",
    "oauth.authorize",
    "oauth.pages.show_consent",
    "oauth.pages.answer_consent",
    "oauth.exchange_grant",
    "oauth.register",
    "oauth.revoke",
    "approvals.chats.answer",
    "approvals.chats.ask",
    "approvals.chats.finish",
    "approvals.chats.show",
    "invoices.previews.proposed_pdf",
    "messaging.leave",
    "messaging.delivery.receive",
    "messaging.set_digest",
    "messaging.set_quiet",
    "messaging.use_code",
}
"""Operations of files behind links, of a protocol and of chats, which nobody can run dry: routes refuse the header."""


def test_every_operation_is_among_those(app_for, settings):
    callgraph.modules()
    declared = _declarations(app_for(settings))
    rows = {(row.path, row.method.lower()) for row in built()}
    reached = {declaration.name for route, declaration in declared.items() if route in rows}
    elsewhere = {"identity.register", "identity.login", "vendors.get"}

    assert OPERATIONS.keys() - reached - WITHOUT_A_ROUTE.keys() - elsewhere == OF_PAGES | NEVER


async def test_pages_and_protocols_refuse_the_header(app_for, settings, client):
    routes = [route for route in _declarations(app_for(settings)) if not route[0].startswith(("/api/", "/auth/"))]

    for path, method in routes:
        if path.startswith("/messaging/"):  # who brings no proof of a messenger finds nothing
            continue
        answer = await client.request(method, path.replace("{token}", "x" * 43), headers=DRY)
        assert answer.status_code == 400, path
        assert "Dry-Run" in answer.text, path


ISSUING = [
    ("POST", "/api/einvoice/emit", lambda ids: {"invoiceId": ids["draft"]}),
    ("PATCH", "/api/invoices/{draft}/pay", lambda _: None),
    ("PATCH", "/api/invoices/{draft}/send", lambda _: None),
    ("POST", "/api/einvoice/credit-note", lambda ids: ids["credit"]),
    ("POST", "/api/einvoice/annul", lambda ids: {"fiscalId": ids["fiscal"], "reason": "Duplicada"}),
    ("POST", "/api/einvoice/send-email/{issued}", lambda _: {"email": "asesoria@example.com"}),
    (
        "POST",
        "/api/cash-register/{till}/movement",
        lambda ids: sale(24.2, line(10, quantity=2, taxRate=21, catalogItemId=ids["shirt"]), paymentMethod="card"),
    ),
]
AFTER_SENDING = {"status", "csv", "submittedAt"}
"""Fields that the authority's answer decides."""


def before_sending(answer):
    """An answer without what the authority says."""
    if isinstance(answer, dict):
        return {name: before_sending(one) for name, one in answer.items() if name not in AFTER_SENDING}
    return [before_sending(one) for one in answer] if isinstance(answer, list) else answer


async def issued_records(ana):
    """A draft and an emitted invoice, a till with something to sell, and what a credit note of the invoice says."""
    issued, draft = await ana.invoice(), await ana.invoice()
    record = await emit(ana, issued)
    shirt = await ana.post("/api/catalog", {"name": "Camiseta", "unitPrice": 10, "taxRate": 21})
    till = await ana.post("/api/cash-register", {"openingAmount": 0})
    credit = {"originalFiscalId": record["fiscalId"], "originalDate": issued["issueDate"], "invoiceId": issued["id"]}
    ids = {"draft": draft["id"], "issued": issued["id"], "till": till["id"], "shirt": shirt["id"]}
    return ids | {"fiscal": record["fiscalId"], "credit": credit}


@pytest.fixture
async def mailing_office(postgres, tmp_path, cheap_passwords, inbox):
    """An application that does nothing by itself, with a real mail server."""
    async with (
        listening(lambda: SMTP(inbox, hostname="mail.test")) as port,
        cloned(postgres) as url,
        opened(
            url,
            tmp_path,
            cheap_passwords,
            worker="apart",
            smtp_url=f"smtp://127.0.0.1:{port}",
            verify_email="off",
            base_url="http://facturas.example.org",
            mail_from="facturas@ledgerkit.example.org",
        ) as office,
    ):
        yield office


def reached(office, inbox):
    """Everything that has come to others."""
    authority = office.authority
    return len(inbox.envelopes), len(authority.received), len(authority.asked), len(authority.callers)


@pytest.mark.parametrize(("method", "path", "sent"), ISSUING, ids=[path for _, path, _ in ISSUING])
async def test_what_seals_or_mails_reaches_nobody_and_answers_as_it_does_then(
    mailing_office, inbox, method, path, sent
):
    ana = await mailing_office.account()
    ids = await issued_records(ana)
    await at_rest(mailing_office)
    path = path.format(**ids)
    before, reached_before = await footprint(mailing_office.kernel), reached(mailing_office, inbox)

    preview = (await ana.request(method, path, sent(ids), **DRY)).json()

    assert changed(before, await footprint(mailing_office.kernel)) == set()
    assert reached(mailing_office, inbox) == reached_before
    real = await ana.request(method, path, sent(ids))
    assert real.is_success, real.text
    assert preview["writes"] != []
    assert preview["leftOut"] != []
    assert preview["status"] == real.status_code
    assert before_sending(lasting(preview["answer"])) == before_sending(lasting(real.json()))
