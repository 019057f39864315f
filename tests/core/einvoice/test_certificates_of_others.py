"""The operator's certificate speaks for its holder, and for others only where the operator says so."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from ledgerkit.core.einvoice.papers import access, coverage
from ledgerkit.core.identity import accounts
from ledgerkit.providers.api import Environment
from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.registry import Registry
from support.api import Api
from support.credentials import encoded, entity, person
from support.office import nif

ANA, BERTA = "12345678Z", "87654321X"
OFFICE = {"representative_name": "Gestoría Sur, S.L.", "representative_tax_id": "B12345674"}


@pytest.fixture
def settings(settings):
    return settings.model_copy(update={"einvoice_env": type(settings.einvoice_env).TEST})


@pytest.fixture
def use(kernel, tmp_path):
    """Has the operator configured with this certificate and these settings."""

    def configure(certificate, **values) -> VerifactuChannel:
        file = tmp_path / "operator.pem"
        file.write_bytes(certificate.pem())
        producer = {"producer_name": "P", "producer_tax_id": ANA}
        channel = VerifactuChannel(VerifactuSettings(_env_file=None, cert_file=file, **producer, **values))
        registry = Registry(countries=MappingProxyType({"ES": replace(country, channels=(channel,))}))
        object.__setattr__(kernel, "countries", registry)
        return channel

    return configure


@pytest.fixture
async def berta(client, use) -> Api:
    """An issuer on a server whose operator's certificate is Ana's."""
    use(person(ANA, kind="rsa"))
    return await Api.with_team(client, "berta@example.com", "Berta Gil", BERTA)


async def emitting(api, **headers):
    made = await api.invoice()
    problem = await api.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": made["id"]}, **headers)
    assert (await api.get(f"/api/invoices/{made['id']}"))["number"] is None
    return problem


async def unready(kernel, api, channel, environment=Environment.TEST):
    ctx = await accounts.system_context(kernel, api.team["id"])
    async with ctx.transaction() as inner:
        return [one.code for one in await access.unready(inner, channel, environment, BERTA)]


async def test_an_invoice_of_another_issuer_is_refused_before_it_has_a_number(berta):
    problem = await emitting(berta)

    assert problem["code"] == "FISCAL_CHECK_FAILED"
    assert [(error["code"], error["field"]) for error in problem["errors"]] == [
        ("CERTIFICATE_OF_ANOTHER", "LEDGERKIT_VERIFACTU_REPRESENTATIVE_TAX_ID")
    ]
    assert "PUT /api/einvoice/certificate" in problem["remedy"]
    assert ANA not in str(problem)


async def test_that_is_told_in_spanish_too(berta):
    problem = await emitting(berta, **{"Accept-Language": "es"})

    assert "no es el del emisor" in problem["detail"]
    assert "apoderado" in problem["remedy"]


async def test_the_holder_itself_may_and_others_may_with_a_representative(kernel, berta, use):
    assert await unready(kernel, berta, use(person(BERTA))) == []
    assert await unready(kernel, berta, use(entity("B12345674"), **OFFICE)) == []
    assert await unready(kernel, berta, use(entity("B12345674"))) == ["CERTIFICATE_OF_ANOTHER"]


async def test_with_a_certificate_of_its_own_an_issuer_needs_nobody(kernel, berta, use):
    await berta.put("/api/einvoice/certificate", {"file": encoded(person(BERTA).pem())})

    assert await unready(kernel, berta, use(person(ANA))) == []


@pytest.mark.parametrize(
    ("environment", "codes"),
    [(Environment.SANDBOX, []), (Environment.TEST, []), (Environment.PRODUCTION, ["CERTIFICATE_OF_ANOTHER"])],
)
async def test_one_that_names_nobody_is_not_for_real_invoices(kernel, berta, use, environment, codes):
    assert await unready(kernel, berta, use(person(None)), environment) == codes


async def test_in_the_sandbox_any_certificate_will_do(kernel, berta, use):
    assert await unready(kernel, berta, use(person(ANA)), Environment.SANDBOX) == []


async def test_nobody_elses_certificate_signs_records_that_are_kept(berta, use):
    use(person(ANA, kind="rsa"), signed_mode="on")
    refused = await berta.refused(400, "PUT", "/api/einvoice/mode", {"mode": "no_verifactu"})
    use(person(BERTA, kind="rsa"), signed_mode="on")
    chosen = await berta.put("/api/einvoice/mode", {"mode": "no_verifactu"})
    use(person(ANA, kind="rsa"), signed_mode="on")
    offered = await berta.get("/api/einvoice/mode")

    assert [error["field"] for error in refused["errors"]] == ["mode"]
    assert (chosen["mode"], offered["choices"]) == ("no_verifactu", ["verifactu"])
    assert [error["code"] for error in (await emitting(berta))["errors"]] == ["CERTIFICATE_OF_ANOTHER"]


async def test_the_operator_learns_whom_the_certificate_does_not_cover(kernel, client, berta, use):
    own = await Api.with_team(client, "carla@example.com", "Carla Pons", nif(20_000_112))
    await own.put("/api/einvoice/certificate", {"file": encoded(person(nif(20_000_112)).pem())})
    await Api.with_team(client, "ana@example.com", "Ana Ruiz", ANA)
    await Api.with_team(client, "dora@example.com", "Dora Mas", None)

    (found,) = await coverage.uncovered(kernel)
    use(person(ANA), **OFFICE)

    assert (found.issuer.tax_id, found.problem.code) == (BERTA, "CERTIFICATE_OF_ANOTHER")
    assert await coverage.uncovered(kernel) == []


@pytest.mark.parametrize(
    ("holder", "environment", "reports_for"),
    [
        (ANA, Environment.TEST, [ANA]),
        (None, Environment.PRODUCTION, [None]),
        (None, Environment.TEST, []),
        (ANA, Environment.SANDBOX, []),
    ],
)
def test_the_operator_learns_it_without_a_database_too(kernel, use, holder, environment, reports_for):
    use(person(holder))

    limits = coverage.limits_of_operators(kernel.countries, environment)

    assert [one.holder for one in limits] == reports_for
