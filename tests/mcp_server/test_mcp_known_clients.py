"""Known clients: those that are still what their last invoice and mail had, whatever the assistant has just changed."""

import pytest
from aiosmtpd.smtp import SMTP
from pydantic import SecretStr

from ledgerkit.settings import Settings, VerifyEmail
from support.api import CLIENT, item
from support.mailserver import Inbox, listening
from support.office import cloned

LIMITS = {"asked": "limits", "upTo": 300, "knownClients": True, "connections": []}
FOREIGN = "ES7921000813610123456789"
OTHER_TAX_ID = "B98765431"
ACTS = {
    "emit_einvoice": "invoiceId",
    "mark_invoice_paid": "id",
    "send_invoice": "id",
    "share_invoice": "id",
}
SENT_TO_ANOTHER = (
    "Atención: la dirección pagos@evil.example no es la que ha tenido hasta ahora el cliente: pagos@norte.example"
)
PAID_TO_ANOTHER = f"Atención: se pide al cliente que pague en una cuenta que no es la de Ana Ruiz: {FOREIGN}"


@pytest.fixture(scope="module")
async def site(postgres, cheap_passwords, tmp_path_factory, served_site):
    """A site with a mail server."""
    async with cloned(postgres) as url, listening(lambda: SMTP(Inbox(), hostname="mail.test")) as port:
        settings = Settings(
            _env_file=None,
            data_dir=tmp_path_factory.mktemp("known_clients"),
            database_url=url,
            rate_limit="off",
            secret_key="a secret of the tests, forty characters long",
            smtp_url=SecretStr(f"smtp://127.0.0.1:{port}"),
            mail_from="facturas@ledgerkit.example.org",
            verify_email=VerifyEmail.OFF,
        )
        async with served_site(settings, cheap_passwords) as running:
            yield running


@pytest.fixture
async def ana(site):
    """An account whose client was invoiced once, under the limits."""
    api = await site.person()
    await issued(api)
    await api.put("/api/approvals/policy", LIMITS)
    return api


async def small(api, **fields):
    return await api.invoice(items=[item(unitPrice=100)], **fields)


async def issued(api, **fields):
    invoice = await small(api, **fields)
    await api.post("/api/einvoice/emit", {"invoiceId": invoice["id"]})
    return await api.get(f"/api/invoices/{invoice['id']}")


async def change_client(api, **fields):
    [invoice, *_] = await api.get("/api/invoices")
    await api.put(f"/api/clients/{invoice['clientId']}", fields)


async def asked(site, api, invoice, acts=tuple(ACTS)):
    """Place where each act is asked about, and the lines that are shown."""
    answers = {act: (await site.agent(api).call(act, **{ACTS[act]: invoice["id"]})).body for act in acts}
    places = {act: "app" if answer.get("proposed") else "host" for act, answer in answers.items()}
    lines = {act: answer.get("summary") or answer["question"] for act, answer in answers.items()}
    return places, {act: shown.splitlines() for act, shown in lines.items()}


def in_(place, acts=tuple(ACTS)):
    return dict.fromkeys(acts, place)


async def test_what_is_as_it_was_is_asked_by_the_assistant(site, ana):
    places, lines = await asked(site, ana, await small(ana))

    assert places == in_("host")
    assert not [line for shown in lines.values() for line in shown if line.startswith("Atención")]


async def test_an_issued_invoice_is_mailed_to_its_own_client(site, ana):
    of_known = await asked(site, ana, await issued(ana), ["send_invoice", "share_invoice"])
    new = await issued(ana, client={**CLIENT, "name": "Nueva, S.L.", "taxId": OTHER_TAX_ID})
    to_another = await site.agent(ana).call("send_invoice", id=new["id"], email="pagos@evil.example")

    assert of_known[0] == in_("host", ["send_invoice", "share_invoice"])
    assert to_another.body["proposed"] is True


async def test_another_bank_account_is_shown_and_asked_about_in_the_web_app(site, ana):
    places, lines = await asked(site, ana, await small(ana, iban=FOREIGN))

    assert places == in_("app")
    assert [act for act, shown in lines.items() if PAID_TO_ANOTHER not in shown] == []


async def test_a_mail_address_that_was_just_changed_is_none_of_the_clients(site, ana):
    acts = ["emit_einvoice", "mark_invoice_paid", "send_invoice"]
    await change_client(ana, email="pagos@evil.example")

    places, lines = await asked(site, ana, await small(ana, client={"name": CLIENT["name"]}), acts)

    assert places == in_("app", acts)
    assert [act for act, shown in lines.items() if SENT_TO_ANOTHER not in shown] == []


async def test_an_address_is_usual_once_a_mail_was_really_sent_there(site, ana):
    [first] = await ana.get("/api/invoices")
    await change_client(ana, email="compras@norte.example")
    draft = await small(ana, client={"name": CLIENT["name"]})
    before, _ = await asked(site, ana, draft, ["send_invoice"])

    await ana.post(f"/api/einvoice/send-email/{first['id']}", {"email": "compras@norte.example"})

    assert (before, (await asked(site, ana, draft, ["send_invoice"]))[0]) == (
        in_("app", ["send_invoice"]),
        in_("host", ["send_invoice"]),
    )


@pytest.mark.parametrize("other", [{"name": "Evil, S.L.", "taxId": OTHER_TAX_ID}, {"taxId": OTHER_TAX_ID}])
async def test_another_company_on_a_known_record_is_not_known(site, ana, other):
    await change_client(ana, **other)

    places, _ = await asked(site, ana, await small(ana, client={"name": other.get("name", CLIENT["name"])}))

    assert places == in_("app")


async def test_without_a_tax_id_a_client_is_known_by_its_name(site, ana):
    marta = await ana.post("/api/clients", {"name": "Marta Gil"})
    ticket = {"client": None, "clientId": marta["id"], "docType": "simplified"}
    await issued(ana, **ticket)
    same, _ = await asked(site, ana, await small(ana, **ticket), ["emit_einvoice"])
    await ana.put(f"/api/clients/{marta['id']}", {"name": "Evil"})

    other, _ = await asked(site, ana, await small(ana, **ticket), ["emit_einvoice"])

    assert (same, other) == (in_("host", ["emit_einvoice"]), in_("app", ["emit_einvoice"]))


async def test_an_imported_invoice_makes_no_client_known(site, ana):
    evil = {"name": "Evil, S.L.", "taxId": OTHER_TAX_ID, "email": "pagos@evil.example"}
    client = await ana.post("/api/clients", evil)
    row = {"number": "A-1", "issueDate": "2025-05-05", "clientName": "Evil, S.L.", "base": 100, "taxRate": 21}
    imported = await ana.post("/api/invoices/import", {"rows": [{**row, "clientTaxId": OTHER_TAX_ID}]})
    assert imported["documents"] == 1, imported
    assert (await ana.get(f"/api/clients/{client['id']}"))["invoiceCount"] == 1

    places, _ = await asked(site, ana, await small(ana, client=evil))

    assert places == in_("app")
