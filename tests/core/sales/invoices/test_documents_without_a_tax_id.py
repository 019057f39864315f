"""Without the issuer's tax identifier: a marked document in the sandbox, and no number outside it (decisions P6)."""

from collections.abc import Iterator

import pytest

from ledgerkit.settings import EInvoiceEnvironment
from support.api import CLIENT, Api, item
from support.periods import YEAR
from support.printed import texts
from support.tills import Till, line, sale

MARK = {
    "es": "No es una factura: falta el NIF de quien la expide",
    "en": "Not an invoice: the issuer's tax number is missing",
}
TITLE = {"es": f"Documento sin validez fiscal F{YEAR}-0001", "en": f"Document without fiscal validity F{YEAR}-0001"}
CURRENT = "/api/teams/current"


@pytest.fixture
async def eva(client) -> Api:
    """Somebody whose team has no tax identifier yet."""
    return await Api.with_team(client, "eva@example.com", "Eva Sanz", None)


@pytest.fixture
def outside_the_sandbox(kernel) -> Iterator[None]:
    before = kernel.settings
    object.__setattr__(kernel, "settings", before.model_copy(update={"einvoice_env": EInvoiceEnvironment.PRODUCTION}))
    yield
    object.__setattr__(kernel, "settings", before)


async def numbered(api: Api, **fields) -> dict:
    return await api.patch(f"/api/invoices/{(await api.invoice(**fields))['id']}/pay")


async def pdf(api: Api, invoice: dict, query: str) -> str:
    answer = await api.request("GET", f"/api/invoices/{invoice['id']}/pdf?{query}")
    return " ".join(texts(answer.content)[0].split())


# ---------------------------------------------------------------- in the sandbox


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("paper", ["a4", "receipt"])
async def test_it_is_printed_with_a_mark_and_without_the_title(eva, language, paper):
    page = await pdf(eva, await numbered(eva), f"lang={language}&paper={paper}")

    assert TITLE[language] in page
    assert MARK[language] in page
    assert f"Factura F{YEAR}" not in page
    assert f"Invoice F{YEAR}" not in page


async def test_a_simplified_one_is_marked_too(eva):
    page = await pdf(eva, await numbered(eva, docType="simplified"), "lang=es&paper=receipt")

    assert f"Documento sin validez fiscal T{YEAR}-0001" in page
    assert "Factura simplificada" not in page


async def test_its_public_page_says_so(eva, client):
    link = await eva.post(f"/api/invoices/{(await numbered(eva))['id']}/share")

    page = (await client.get(f"/s/{link['shareToken']}")).text

    assert MARK["es"].replace("'", "&#39;") in page
    assert f"<title>Documento sin validez fiscal F{YEAR}-0001 · Eva Sanz</title>" in page


async def test_its_mail_says_so(eva, mailbox):
    draft = await eva.invoice()

    await eva.patch(f"/api/invoices/{draft['id']}/send")

    [mail] = mailbox.to(CLIENT["email"])
    assert f"Documento F{YEAR}-0001 de Eva Sanz, que no es una factura" in mail["Subject"]
    assert "No es una factura: le falta el NIF de quien lo expide." in mail.get_body(("plain",)).get_content()


async def test_the_answer_and_the_lists_say_so(eva):
    paid = await numbered(eva)
    draft = await eva.invoice()

    listed = {one["id"]: one["issuerIncomplete"] for one in await eva.get("/api/invoices")}

    assert (paid["issuerIncomplete"], draft["issuerIncomplete"]) == (True, False)
    assert listed == {paid["id"]: True, draft["id"]: False}
    assert [one for one in paid["warnings"] if "is no invoice" in one]
    assert draft["warnings"] == []


async def test_a_document_with_the_tax_id_is_an_invoice(ana, unreported):
    paid = await numbered(ana)

    assert (paid["issuerIncomplete"], paid["warnings"]) == (False, [])
    assert f"Factura F{YEAR}-0001" in await pdf(ana, paid, "lang=es")


# ---------------------------------------------------------------- outside it


async def untouched(api: Api, invoice: dict) -> bool:
    """Return True when a draft is as it was, and nothing else was stored."""
    now = await api.get(f"/api/invoices/{invoice['id']}")
    listed = await api.get("/api/invoices")
    return (now["number"], now["status"], now["updatedAt"], [one["id"] for one in listed]) == (
        None,
        "draft",
        invoice["updatedAt"],
        [invoice["id"]],
    )


@pytest.mark.usefixtures("outside_the_sandbox")
@pytest.mark.parametrize("einvoicing", ["on", "off"])
@pytest.mark.parametrize("call", ["pay", "send"])
async def test_nothing_is_numbered(eva, mailbox, call, einvoicing):
    if einvoicing == "off":
        await eva.put(CURRENT, {"einvoicing": "off"})
    draft = await eva.invoice()

    problem = await eva.refused(400, "PATCH", f"/api/invoices/{draft['id']}/{call}")

    assert problem["code"] == "ISSUER_INCOMPLETE"
    assert problem["errors"][0]["field"] == "issuer.taxId"
    assert "PUT /api/teams/current" in problem["remedy"]
    assert await untouched(eva, draft)
    assert mailbox.to(CLIENT["email"]) == []


@pytest.mark.usefixtures("outside_the_sandbox")
async def test_nothing_is_emitted(eva):
    draft = await eva.invoice()

    problem = await eva.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})

    assert problem["code"] == "ISSUER_INCOMPLETE"
    assert await untouched(eva, draft)


@pytest.mark.usefixtures("outside_the_sandbox")
async def test_nothing_is_sold_at_the_till(eva):
    till = await Till.of(eva)

    problem = await till.refuses(sale(12.1, line(10, taxRate=21)))

    assert problem["code"] == "ISSUER_INCOMPLETE"
    assert (await eva.get(till.path))["movements"] == []
    assert await eva.get("/api/invoices") == []


@pytest.mark.usefixtures("outside_the_sandbox")
async def test_a_personal_workspace_is_told_to_become_a_team(client):
    eva = await Api.register(client, "eva@example.com")
    draft = await eva.invoice()

    problem = await eva.refused(400, "PATCH", f"/api/invoices/{draft['id']}/pay")

    assert problem["code"] == "ISSUER_INCOMPLETE"
    assert "POST /api/teams" in problem["remedy"]


@pytest.mark.usefixtures("outside_the_sandbox")
async def test_a_preview_is_refused_as_the_act_is(eva):
    draft = await eva.invoice()

    problem = await eva.refused(400, "PATCH", f"/api/invoices/{draft['id']}/pay", None, **{"Dry-Run": "true"})

    assert problem["code"] == "ISSUER_INCOMPLETE"


@pytest.mark.usefixtures("outside_the_sandbox")
async def test_a_country_without_a_channel_numbers_as_ever(client):
    eva = await Api.register(client, "eva@example.com")
    await eva.post("/api/teams", {"name": "Eva", "country": "PT"})

    paid = await numbered(eva, items=[item()])

    assert (paid["number"], paid["issuerIncomplete"]) == (f"F{YEAR}-0001", False)
