"""Documents of an earlier tax identifier are corrected while a certificate may act for it, else the way is named."""

from dataclasses import replace
from types import MappingProxyType

import pytest
from sqlalchemy import text

from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.registry import Registry
from support.api import Api, item
from support.credentials import encoded, person
from support.database import as_owner
from support.office import nif

OPERATOR, OLD, NEW = "12345678Z", "87654321X", nif(20_000_114)
CERTIFICATE, CURRENT = "/api/einvoice/certificate", "/api/teams/current"
ACTS = ["credit note", "part of a credit note", "draft of a credit note", "annulment", "amendment"]


@pytest.fixture
def settings(settings):
    return settings.model_copy(update={"einvoice_env": type(settings.einvoice_env).TEST})


@pytest.fixture
def operator(kernel, tmp_path) -> None:
    """Has a certificate of their own that represents nobody."""
    file = tmp_path / "operator.pem"
    file.write_bytes(person(OPERATOR, kind="rsa").pem())
    producer = {"producer_name": "P", "producer_tax_id": OPERATOR}
    channel = VerifactuChannel(VerifactuSettings(_env_file=None, cert_file=file, **producer))
    registry = Registry(countries=MappingProxyType({"ES": replace(country, channels=(channel,))}))
    object.__setattr__(kernel, "countries", registry)


@pytest.fixture
async def berta(client, operator) -> Api:
    """An issuer with a certificate of her own."""
    berta = await Api.with_team(client, "berta@example.com", "Berta Gil", OLD)
    await certified(berta, OLD)
    return berta


async def certified(api, holder) -> None:
    await api.put(CERTIFICATE, {"file": encoded(person(holder, kind="rsa").pem())})


async def recorded(kernel, api, state) -> dict:
    """An invoice whose record the authority has answered so."""
    invoice = await api.patch(f"/api/invoices/{(await api.invoice())['id']}/pay")
    async with as_owner(kernel) as connection:
        await connection.execute(text("update fiscal_status set state = :state"), {"state": state})
        standing = {"accepted": "held", "rejected": "refused"}[state]
        await connection.execute(text("update invoice set fiscal_standing = :standing"), {"standing": standing})
    return await api.get(f"/api/invoices/{invoice['id']}")


async def without_certificate(kernel, api) -> None:
    await api.delete(CERTIFICATE)


async def with_an_expired_one(kernel, api) -> None:
    async with as_owner(kernel) as connection:
        await connection.execute(text("update fiscal_certificate set valid_to = now() - interval '1 day'"))


async def with_that_of_the_new_one(kernel, api) -> None:
    await certified(api, NEW)


async def act(api, kind, invoice) -> tuple[str, str, dict]:
    """Method, path and body of an act upon an invoice."""
    fiscal_id = invoice["einvoice"]["fiscalId"]
    original = {"invoiceId": invoice["id"], "originalFiscalId": fiscal_id, "originalDate": invoice["issueDate"]}
    if kind == "draft of a credit note":
        draft = await api.invoice(docType="credit_note", rectifies=invoice["id"], items=[item(quantity=-1)])
        return "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]}
    if kind == "amendment":
        await api.put(f"/api/invoices/{invoice['id']}", {"items": [item(description="Logotipo")]})
    return {
        "credit note": ("POST", "/api/einvoice/credit-note", original),
        "part of a credit note": ("POST", "/api/einvoice/credit-note", original | {"items": [item(unitPrice=100)]}),
        "annulment": ("POST", "/api/einvoice/annul", {"fiscalId": fiscal_id, "reason": "No hubo operación"}),
        "amendment": ("POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]}),
    }[kind]


async def kept(kernel, api) -> tuple[list[tuple[str, str | None]], int]:
    """Numbers and states of all documents, and how many records there are."""
    async with as_owner(kernel) as connection:
        records = (await connection.execute(text("select count(*) from fiscal_record"))).scalar_one()
    return sorted((one["id"], one["number"], one["status"]) for one in await api.get("/api/invoices")), records


@pytest.mark.parametrize("certificate", [without_certificate, with_an_expired_one, with_that_of_the_new_one])
@pytest.mark.parametrize("kind", ACTS)
async def test_without_its_certificate_nothing_is_numbered_and_the_way_is_named(kernel, berta, kind, certificate):
    invoice = await recorded(kernel, berta, "rejected" if kind == "amendment" else "accepted")
    await berta.put(CURRENT, {"taxId": NEW})
    await certificate(kernel, berta)
    method, path, body = await act(berta, kind, invoice)
    before = await kept(kernel, berta)

    problem = await berta.refused(400, method, path, body)

    [error] = problem["errors"]
    assert (problem["code"], error["code"]) == ("FISCAL_CHECK_FAILED", "CERTIFICATE_OF_ANOTHER")
    assert OLD in error["message"]
    assert "Give the team that tax identifier" in problem["remedy"]
    assert OPERATOR not in str(problem)
    assert await kept(kernel, berta) == before


async def test_the_refusal_is_in_spanish_too(kernel, berta):
    invoice = await recorded(kernel, berta, "accepted")
    await berta.put(CURRENT, {"taxId": NEW})
    await berta.delete(CERTIFICATE)
    method, path, body = await act(berta, "credit note", invoice)

    problem = await berta.refused(400, method, path, body, **{"Accept-Language": "es"})

    assert f"se hace a nombre de {OLD}" in problem["detail"]
    assert "Pon ese NIF" in problem["remedy"]
