"""A language model and its user are told of the regime: what it asks elsewhere, before the act and after it."""

from collections.abc import Iterator

import pytest

from ledgerkit.settings import EInvoiceEnvironment
from support.api import ADDRESS, Api
from support.office import nif
from support.periods import YEAR
from support.tills import Till, line, sale

NEW_NIF = nif(34_000_101)


@pytest.fixture
async def ana(site) -> Api:
    """An owner whose company keeps its books through the SII."""
    api = await site.person()
    await api.put("/api/teams/current", {**ADDRESS, "regime": "sii"})
    return api


@pytest.fixture
async def eva(site) -> Api:
    """An owner whose company has no tax identifier."""
    return await site.person(tax_id=None)


@pytest.fixture
def outside_the_sandbox(site) -> Iterator[None]:
    """Until the test ends; the tools and the routes have kernels of their own, with the same settings."""
    settings = site.kernel.settings
    before = settings.einvoice_env
    object.__setattr__(settings, "einvoice_env", EInvoiceEnvironment.PRODUCTION)
    yield
    object.__setattr__(settings, "einvoice_env", before)


async def test_who_states_a_regime_reads_its_duty(site):
    agent = site.agent(await site.person(), **{"Accept-Language": "es"})

    answer = await agent.ok("save_company", regime="sii")

    assert answer["team"]["regime"] == "sii"
    assert "cuatro días" in answer["team"]["warnings"][0]


async def test_an_address_in_a_foral_territory_is_told_of_its_authority(site):
    agent = site.agent(await site.person(), **{"Accept-Language": "es"})

    answer = await agent.ok("save_company", postalCode="48001", city="Bilbao", province="Bizkaia")

    assert "Diputación Foral de Bizkaia" in answer["team"]["warnings"][0]


async def test_nothing_is_emitted_and_the_way_is_named(site, ana):
    draft = await ana.invoice()

    refused = await site.agent(ana).refused("emit_einvoice", invoiceId=draft["id"])

    assert refused["code"] == "EINVOICING_OFF"
    assert "SII" in refused["message"]


@pytest.mark.parametrize(
    ("tool", "effect", "afterwards"),
    [
        ("mark_invoice_paid", "sin registro fiscal y anotar su cobro", "aún se puede cambiar o borrar"),
        ("send_invoice", "sin registro fiscal y enviarla por correo", "no se puede recuperar"),
    ],
)
async def test_the_question_says_that_nobody_is_told_and_what_is_to_be_done_elsewhere(
    site, ana, tool, effect, afterwards
):
    draft = await ana.invoice()
    agent = site.agent(ana, **{"Accept-Language": "es"})

    question = (await agent.preview(tool, id=draft["id"]))["question"].splitlines()
    answer = await agent.ok(tool, id=draft["id"])

    assert question[0] == f"Expedir la factura F{YEAR}-0001 {effect}."
    assert "administración tributaria" not in question[0]
    [duty] = [one for one in question if one.startswith("Atención: ")]
    assert "SII" in duty
    assert "cuatro días" in duty
    assert afterwards in question[-1]
    assert "cuatro días" in str(answer)


async def test_neither_does_the_tills_question_say_that_a_sale_is_reported(site, ana):
    till = await Till.of(ana)
    agent = site.agent(ana, **{"Accept-Language": "es"})

    preview = await agent.preview("add_cash_movement", id=till.path.split("/")[-1], **sale(12.1, line(10, taxRate=21)))

    question = preview["question"].splitlines()
    assert question[0] == f"Anotar una venta en la caja y expedir la factura T{YEAR}-0001, sin registro fiscal."
    assert [one for one in question if "SII" in one and "cuatro días" in one]
    assert "aún se puede cambiar o borrar" in question[-1]


async def test_who_has_chosen_off_is_not_told_that_it_is_reported(site):
    api = await site.person()
    await api.put("/api/teams/current", {**ADDRESS, "einvoicing": "off"})
    draft = await api.invoice()

    preview = await site.agent(api).preview("mark_invoice_paid", id=draft["id"])

    assert (
        preview["question"].splitlines()[0] == f"Expedir la factura F{YEAR}-0001 sin registro fiscal y anotar su cobro."
    )


# ---------------------------------------------------------------- without the issuer's tax identifier


@pytest.mark.usefixtures("outside_the_sandbox")
@pytest.mark.parametrize("tool", ["emit_einvoice", "mark_invoice_paid", "send_invoice"])
async def test_outside_the_sandbox_nothing_is_numbered_without_the_tax_id(site, eva, tool):
    draft = await eva.invoice()
    named = {"invoiceId" if tool == "emit_einvoice" else "id": draft["id"]}

    refused = await site.agent(eva).refused(tool, **named)

    assert refused["code"] == "ISSUER_INCOMPLETE"
    assert [one["field"] for one in refused["errors"]] == ["issuer.taxId"]
    shown = await eva.get(f"/api/invoices/{draft['id']}")
    assert (shown["number"], shown["status"]) == (None, "draft")


@pytest.mark.usefixtures("outside_the_sandbox")
async def test_nor_is_anything_sold_at_the_till(site, eva):
    till = await Till.of(eva)

    refused = await site.agent(eva).refused(
        "add_cash_movement", id=till.path.split("/")[-1], **sale(12.1, line(10, taxRate=21))
    )

    assert refused["code"] == "ISSUER_INCOMPLETE"
    assert (await eva.get(till.path))["movements"] == []


async def test_in_the_sandbox_the_question_says_that_it_is_no_invoice(site, eva):
    draft = await eva.invoice()
    agent = site.agent(eva, **{"Accept-Language": "en"})

    preview = await agent.preview("mark_invoice_paid", id=draft["id"])
    answer = await agent.ok("mark_invoice_paid", id=draft["id"])

    assert "no es una factura" in preview["question"]
    assert answer["issuerIncomplete"] is True


# ---------------------------------------------------------------- after a change of tax identifier


async def test_the_preview_of_a_credit_note_names_the_issuer_of_its_original(site):
    api = await site.person()
    old = api.team["taxId"]
    draft = await api.invoice()
    await api.post("/api/einvoice/emit", {"invoiceId": draft["id"]})
    original = await api.get(f"/api/invoices/{draft['id']}")
    await api.put("/api/teams/current", {"taxId": NEW_NIF, "company": "Ruiz y Gil, S.L."})

    preview = await site.agent(api).preview(
        "create_credit_note",
        invoiceId=original["id"],
        originalFiscalId=original["einvoice"]["fiscalId"],
        originalDate=original["issueDate"],
    )

    assert f"A nombre de tu NIF anterior: {old}" in preview["question"].splitlines()
    assert NEW_NIF not in preview["question"]
