"""docs/providers.md: its country through the real server, and its tables against the code."""

import dataclasses
import inspect
import os
import re
import subprocess
import sys
from dataclasses import replace
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import SMTP
from importlib.metadata import distributions

import pytest

from ledgerkit.core.platform.documents.languages import words_in
from ledgerkit.providers import api
from ledgerkit.providers.registry import Registry, discover
from support.api import Api, invoice_body, item
from support.guide import PAGE, write
from support.printed import texts

CLIENT = {"name": "Oficinas do Norte, Lda.", "taxId": "PT 500 100 144", "country": "PT", "email": "geral@norte.example"}


@pytest.fixture(scope="module")
def guide(tmp_path_factory):
    """The guide's country, installed in a directory of its own."""
    directory = tmp_path_factory.mktemp("guide")
    write(directory)
    return directory


@pytest.fixture(scope="module")
def countries(guide) -> Registry:
    """Registry of a server with the guide's country installed beside Spain."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(guide)
        yield discover()
        for name in [name for name in sys.modules if name.startswith("ledgerkit_pt")]:
            del sys.modules[name]


@pytest.fixture
async def rita(client) -> Api:
    """A freelancer in Lisbon."""
    api = await Api.register(client, "rita@example.com", country="PT")
    place = {"address": "Rua Augusta 1", "postalCode": "1100-053", "city": "Lisboa", "province": "Lisboa"}
    api.team = await api.post("/api/teams", {"name": "Rita Reis", "country": "PT", "taxId": "501964843", **place})
    return api


async def draft(api: Api, **fields) -> dict:
    return await api.post("/api/invoices", invoice_body(**{"client": CLIENT, "taxRate": 23, **fields}))


async def printed(api: Api, invoice: dict, query: str = "") -> str:
    answer = await api.request("GET", f"/api/invoices/{invoice['id']}/pdf{query}")
    (page,) = texts(answer.content)
    return page


def test_the_guides_country_depends_on_our_distribution(guide):
    (portugal,) = distributions(path=[str(guide)])

    assert (portugal.name, portugal.requires) == ("ledgerkit-pt", ["ledgerkit-server", "python-stdnum"])


def test_the_guides_country_passes_the_guides_tests(guide):
    names = ["test_portugal.py", "test_portuguese_forms.py", "test_portuguese_readings.py"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *names],
        cwd=guide,
        env={**os.environ, "PYTHONPATH": str(guide), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"\b1[2-4]\d passed", run.stdout)


def test_the_guides_entry_point_brings_the_country(countries):
    assert countries.get("PT").name == "Portugal"
    assert countries.broken == ()
    assert countries.languages == ["ca", "en", "es", "pt"]


async def test_forms_offer_its_rates_and_codes(rita):
    country = await rita.get("/api/countries/PT")

    assert [(rate["rate"], rate["label"]) for rate in country["taxRates"]][:2] == [(23, "normal"), (13, "intermédia")]
    assert [code["code"] for code in (*country["exemptions"], *country["correctionReasons"])] == ["M07", "NC"]


async def test_its_invoice_is_numbered_and_printed_in_its_own_language(rita):
    made = await draft(rita)
    await rita.patch(f"/api/invoices/{made['id']}/pay", {})

    page = await printed(rita, made)

    assert made["client"]["language"] == "pt"
    assert re.search(r"^Fatura\nFT\d{4}-0001\nData de emissão \d\d/\d\d/\d{4}$", page, re.MULTILINE)
    assert "Rita Reis\nNIF: 501964843\nRua Augusta 1\n1100-053 Lisboa\nrita@example.com" in page
    assert "Cliente\nOficinas do Norte, Lda.\nNIF: 500100144\n" in page
    assert "Descrição Quantidade Preço IVA Valor\nIdentidad visual" in page
    assert "IVA 23%" in page
    assert "Portugal" not in page


async def test_what_it_says_of_a_tax_id_comes_from_catalogues_of_its_own(rita):
    wrong = CLIENT | {"taxId": "501964842"}

    english = await rita.refused(400, "POST", "/api/clients", wrong)
    portuguese = await rita.refused(400, "POST", "/api/clients", wrong, **{"accept-language": "pt"})

    (error,) = english["errors"]
    assert error["message"] == "it is no Portuguese NIF"
    assert {language: one["message"] for language, one in error["translations"].items()} == {
        "en": "it is no Portuguese NIF",
        "pt": "não é um NIF português",
    }
    assert portuguese["errors"][0]["message"] == "it is no Portuguese NIF"  # the server itself speaks no Portuguese


async def test_a_word_that_its_language_lacks_is_english(rita):
    page = await printed(rita, await draft(rita, purchaseOrder="PO-7", paymentMethod="cash"))

    assert "Purchase order PO-7" in page
    assert "Payment method Cash" in page
    assert "Fatura\nRascunho" in page


GERMAN = {"name": "Donau GmbH", "taxId": "136695976", "country": "DE"}
SPANISH = {"name": "Talleres Norte, S.L.", "taxId": "B12345674", "country": "ES"}
ABROAD = [
    (GERMAN, "en", ["Invoice\n", "Germany", "VAT number: PT501964843", "VAT 23%"]),
    (SPANISH, "es", ["Factura\n", "España", "NIF-IVA: PT501964843", "Reverse charge"]),
    (GERMAN | {"language": "pt"}, "pt", ["Fatura\n", "Alemanha", "IVA - autoliquidação", "Autoliquidação"]),
]


@pytest.mark.parametrize(("foreign", "chosen", "words"), ABROAD)
async def test_clients_abroad_read_it_in_theirs_where_there_are_words(rita, foreign, chosen, words):
    lines = [item(), item(taxCategory="reverse_charge", taxRate=0)]
    made = await draft(rita, client=foreign, items=lines)

    page = await printed(rita, made)

    assert made["client"]["language"] == chosen
    assert [one for one in words if one not in page] == []


async def test_its_public_page_and_the_page_of_a_link_that_is_gone_are_in_its_language(rita, client):
    made = await draft(rita)
    link = await rita.post(f"/api/invoices/{made['id']}/share")

    there = await client.get(f"/s/{link['shareToken']}")
    gone = await client.get("/s/nothing", headers={"accept-language": "pt-PT,pt;q=0.9,en;q=0.5"})
    plain = await client.get("/s/nothing")

    assert '<html lang="pt">' in there.text
    assert "Transferir PDF" in there.text
    assert "RASCUNHO" in there.text
    assert (gone.status_code, '<html lang="pt">' in gone.text) == (404, True)
    assert "Esta fatura não está disponível" in gone.text
    assert '<html lang="es">' in plain.text


async def test_its_mail_is_in_its_language_and_english_where_that_has_no_words(rita, settings):
    made = await draft(rita)

    sent = await rita.patch(f"/api/invoices/{made['id']}/send")

    (file,) = (settings.data_dir / "mail").glob("*.eml")
    message = BytesParser(EmailMessage, policy=SMTP).parsebytes(file.read_bytes())
    text = message.get_body(("plain",)).get_content().replace("\N{NO-BREAK SPACE}", " ")
    number = sent["invoice"]["number"]
    assert (message["Subject"], message["Content-Language"]) == (f"Fatura {number} de Rita Reis", "pt")
    assert "Olá, Oficinas do Norte, Lda.:" in text
    assert f"Enviamos em anexo a fatura {number}, no valor de 1.476,00 €." in text.replace("1 476,00", "1.476,00")
    assert "If you have any questions, just reply to this message." in text
    assert sent["invoice"]["shareUrl"] is None  # an address of this machine alone is never mailed


async def test_what_it_refuses_is_said_in_words(rita):
    body = invoice_body(client=CLIENT | {"taxId": "501964842"}, taxRate=23)
    wrong = await rita.refused(400, "POST", "/api/invoices", body)
    rate = await rita.refused(400, "POST", "/api/invoices", invoice_body(client=CLIENT, taxRate=21))
    made = await draft(rita)
    language = await rita.refused(400, "GET", f"/api/invoices/{made['id']}/pdf?lang=fr")
    emitted = await rita.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": made["id"]})

    assert (wrong["code"], wrong["errors"][0]["field"]) == ("TAX_ID_INVALID", "client.taxId")
    assert "it is no Portuguese NIF" in wrong["detail"]
    assert rate["code"] == "TAX_RATE_UNKNOWN"
    assert "23" in rate["remedy"]
    assert language["remedy"] == "Choose one of: ca, en, es, pt."
    assert emitted["code"] == "EINVOICE_UNSUPPORTED"


async def test_a_spaniards_client_may_read_portuguese(ana):
    made = await draft(ana, client=CLIENT, taxRate=0, items=[item(taxCategory="intra_eu_services")])

    page = await printed(ana, made)

    assert "Fatura\nRascunho" in page
    assert "VAT number: ES12345678Z" in page
    assert "Espanha" in page
    assert "service outside the scope of Spanish VAT" in page


@pytest.mark.parametrize("code", ["PT", "ES"])
def test_without_the_country_its_language_falls_back_to_the_next_and_then_to_english(countries, code):
    spain_only = Registry({"ES": countries.countries["ES"]})

    assert words_in(spain_only, code, "pt").language == "en"
    assert words_in(spain_only, code, "pt", "es").language == "es"


async def test_who_reads_a_language_that_is_gone_is_still_changed_and_written_to(rita, client, kernel, countries):
    app = client._transport.app
    stored = await rita.post("/api/clients", CLIENT | {"language": "pt"})
    made = await draft(rita, clientId=stored["id"], client=None)
    app.state.kernel = replace(kernel, countries=Registry({"ES": countries.countries["ES"]}))

    changed = await rita.put(f"/api/clients/{stored['id']}", {"city": "Porto"})
    again = await rita.refused(400, "PUT", f"/api/clients/{stored['id']}", {"language": "pt"})

    assert (changed["city"], changed["language"]) == ("Porto", "pt")
    assert again["errors"][0]["field"] == "language"
    assert "Invoice\nDraft" in await printed(rita, made)


async def test_its_form_is_computed_and_filed(rita, client, kernel, countries):
    from ledgerkit_pt.forms import PeriodicDeclaration  # noqa: PLC0415 - installed for this module's tests only

    portugal = replace(countries.get("PT"), declarations=(PeriodicDeclaration(),))
    client._transport.app.state.kernel = replace(kernel, countries=Registry({**countries.countries, "PT": portugal}))
    made = await draft(rita, issueDate="2026-10-05")
    await rita.patch(f"/api/invoices/{made['id']}/pay", {})

    answer = await rita.post("/api/tax-declarations/generate", {"country": "PT", "year": 2026, "period": "Q4"})
    path = f"/api/tax-declarations/{answer['declaration']['id']}"
    await rita.patch(f"{path}/submit")
    file = await rita.request("GET", f"{path}/file")

    assert answer["declaration"]["dueDate"] == "2027-02-22"  # the 20th is a Saturday
    assert answer["declaration"]["effectiveBoxes"] == {"4": 276, "24": 0, "93": 276, "94": 0}
    assert file.content == b"2026;Q4;501964843;P;4=276.00;24=0.00;93=276.00;94=0.00"
    [first, *_] = await rita.get("/api/tax-declarations/calendar?year=2027")
    assert (first["period"], first["dueDate"], first["status"]) == ("Q4", "2027-02-22", "submitted")


# ---------------------------------------------------------------- the tables


def table(heading: str) -> list[str]:
    """The backticked names of the first column of the table below `### heading`."""
    section = PAGE.read_text().partition(f"\n### `{heading}`\n")[2].partition("\n#")[0]
    rows = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def hooks(protocol: type) -> set[str]:
    """Hooks of a protocol: attributes by name, methods with their parameters."""
    methods = {name: member for name, member in vars(protocol).items() if inspect.isfunction(member) and name[0] != "_"}
    properties = {name for name, member in vars(protocol).items() if isinstance(member, property)}
    attributes = {*inspect.get_annotations(protocol), *properties}
    return attributes | {f"{name}{_parameters(member)}" for name, member in methods.items()}


def _parameters(method) -> str:
    signature = inspect.signature(method)
    plain = [one.replace(annotation=one.empty) for one in signature.parameters.values() if one.name != "self"]
    return str(inspect.Signature(plain))


PROTOCOLS = [
    "TaxRules",
    "FiscalChannel",
    "Annulling",
    "Auditing",
    "Asking",
    "Signing",
    "Certifying",
    "Declaring",
    "InvoicingRegimes",
    "Sandbox",
    "DocumentReader",
]
FORM = {
    f"{name}{_parameters(member)}"
    for name, member in vars(api.TaxForm).items()
    if name in api.TaxForm.__abstractmethods__
}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_table_of_a_protocol_names_its_hooks_with_their_parameters(name):
    told = table(name)

    assert len(told) == len(set(told))
    assert set(told) == hooks(getattr(api, name))


def test_the_table_of_a_form_names_its_hooks_with_their_parameters():
    assert set(table("TaxForm")) == FORM | {"code", "name", "reads"}


def test_every_protocol_of_the_api_has_a_table():
    protocols = {name for name in api.__all__ if getattr(getattr(api, name), "_is_protocol", False)}

    assert protocols - {"Signer"} == set(PROTOCOLS)


def test_the_table_of_the_country_names_its_fields():
    assert table("CountryProvider") == [field.name for field in dataclasses.fields(api.CountryProvider)]
