"""A certificate reports for its holder, and for others only where the one who uploaded it declares that."""

from dataclasses import replace
from datetime import date
from types import MappingProxyType

import pytest
from sqlalchemy import text

from ledgerkit.commands.examining import einvoicing
from ledgerkit.commands.examining.findings import Weight
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.providers.api import Environment
from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.registry import Registry
from support.api import Api
from support.credentials import encoded, entity, person
from support.database import as_owner
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
        producer = {
            "producer_name": "P",
            "producer_tax_id": ANA,
            "producer_address": "Calle 1, Madrid",
            "declaration_place": "Madrid (España)",
            "declaration_date": date(2026, 11, 1),
        }
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
    invoice = await api.invoice()
    problem = await api.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": invoice["id"]}, **headers)
    assert (await api.get(f"/api/invoices/{invoice['id']}"))["number"] is None
    return problem


async def unready(kernel, api, channel, environment=Environment.TEST):
    ctx = await accounts.system_context(kernel, api.team["id"])
    async with ctx.transaction() as inner:
        return [one.code for one in await access.reporting_obstacles(inner, channel, environment, BERTA)]


async def test_an_invoice_of_another_issuer_is_refused_before_it_has_a_number(berta):
    problem = await emitting(berta)

    assert problem["code"] == "FISCAL_CHECK_FAILED"
    assert [(error["code"], error["field"]) for error in problem["errors"]] == [
        ("CERTIFICATE_OF_ANOTHER", "LEDGERKIT_VERIFACTU_REPRESENTATIVE_TAX_ID")
    ]
    assert "PUT /api/einvoice/certificate" in problem["remedy"]
    assert ANA not in str(problem)


async def test_a_certificate_of_another_holder_is_refused_in_spanish(berta):
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


async def test_outside_of_the_sandbox_a_self_signed_certificate_is_not_stored(berta, use):
    use(person(ANA))
    file = encoded(person(BERTA, self_signed=True).pem())

    problem = await berta.refused(400, "PUT", "/api/einvoice/certificate", {"file": file})

    assert problem["code"] == "CERTIFICATE_UNUSABLE"
    assert [(one["field"], one["code"]) for one in problem["errors"]] == [("file", "CERTIFICATE_SELF_SIGNED")]
    assert "FNMT" in problem["remedy"]
    await berta.refused(404, "GET", "/api/einvoice/certificate")


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


async def test_the_doctor_names_who_cannot_report_and_nobody_who_does_not_want_to(kernel, client, berta):
    carla = await Api.with_team(client, "carla@example.com", "Carla Pons", nif(20_000_112))
    await carla.put("/api/teams/current", {"einvoicing": "off"})

    findings = [one async for one in einvoicing.of_issuers(kernel)]

    missing = [one for one in findings if one.weight is Weight.MISSING and BERTA in one.line("en")]
    assert len(missing) == 1
    assert "LEDGERKIT_VERIFACTU_REPRESENTATIVE_TAX_ID" in missing[0].line("en")
    of_carla = [one for one in findings if "Carla" in one.line("en")]
    assert [one.weight for one in of_carla] == [Weight.ADVISED]
    assert "off by your choice, until 2027-07-01" in of_carla[0].line("en")


async def test_the_operator_learns_whom_the_certificate_does_not_cover(kernel, client, berta, use):
    with_own_certificate = await Api.with_team(client, "carla@example.com", "Carla Pons", nif(20_000_112))
    await with_own_certificate.put("/api/einvoice/certificate", {"file": encoded(person(nif(20_000_112)).pem())})
    await Api.with_team(client, "ana@example.com", "Ana Ruiz", ANA)
    await Api.with_team(client, "dora@example.com", "Dora Mas", None)

    (uncovered,) = await access.uncovered_issuers(kernel)
    use(person(ANA), **OFFICE)

    assert (uncovered.issuer.tax_id, uncovered.problem.code) == (BERTA, "CERTIFICATE_OF_ANOTHER")
    assert await access.uncovered_issuers(kernel) == []


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

    limits = access.operator_certificate_limits(kernel.countries, environment)

    assert [one.holder for one in limits] == reports_for


# ---------------------------------------------------------------- the account's own, after another tax identifier


OWN = "/api/einvoice/certificate"
DORA = nif(20_000_113)


async def way_in(kernel, api, channel, issuer, environment=Environment.TEST):
    ctx = await accounts.system_context(kernel, api.team["id"])
    async with ctx.transaction() as inner:
        return await access.authority_access(inner, channel, environment, issuer)


@pytest.fixture
async def renamed(berta, use) -> Api:
    """An issuer whose own certificate names the tax identifier that it had before."""
    use(person(ANA), **OFFICE)
    await berta.put(OWN, {"file": encoded(person(BERTA, kind="rsa").pem()), "represents": False})
    await berta.put("/api/teams/current", {"taxId": DORA})
    return berta


async def test_an_own_certificate_does_not_become_a_representatives_by_another_tax_id(renamed):
    problem = await emitting(renamed)

    assert problem["code"] == "FISCAL_CHECK_FAILED"
    assert [(error["code"], error["field"]) for error in problem["errors"]] == [
        ("CERTIFICATE_OF_ANOTHER", "certificate")
    ]
    assert "represents: true" in problem["remedy"]
    assert (await renamed.get(OWN))["represents"] is False


async def test_a_certificate_of_a_former_tax_id_is_refused_in_spanish(renamed):
    problem = await emitting(renamed, **{"Accept-Language": "es"})

    assert "no es el del emisor" in problem["detail"]
    assert "vuelve a subir este" in problem["remedy"]


async def test_what_waits_goes_only_under_the_tax_id_that_the_certificate_names(kernel, renamed, use):
    channel = use(person(ANA), **OFFICE)

    old, new = [await way_in(kernel, renamed, channel, one) for one in (BERTA, DORA)]
    sandbox = await way_in(kernel, renamed, channel, DORA, Environment.SANDBOX)
    (uncovered,) = await access.uncovered_issuers(kernel)

    assert (old.problem, old.representative) == (None, None)
    assert (new.problem.code, new.representative) == ("CERTIFICATE_OF_ANOTHER", None)
    assert (sandbox.problem, sandbox.representative) == (None, None)
    assert (uncovered.issuer.tax_id, uncovered.problem.code) == (DORA, "CERTIFICATE_OF_ANOTHER")


@pytest.mark.parametrize(("holder", "represents"), [(DORA, False), (BERTA, True)])
async def test_the_certificate_of_the_new_one_or_saying_that_it_represents_mends_it(
    kernel, renamed, use, holder, represents
):
    shown = await renamed.put(OWN, {"file": encoded(person(holder).pem()), "represents": represents})
    way = await way_in(kernel, renamed, use(person(ANA)), DORA)

    assert way.problem is None
    assert (way.representative is not None, shown["represents"]) == (represents, represents)


async def test_who_was_said_to_represent_goes_on_representing(kernel, berta, use):
    await berta.put(OWN, {"file": encoded(entity("B12345674").pem()), "represents": True})
    await berta.put("/api/teams/current", {"taxId": DORA})

    way = await way_in(kernel, berta, use(person(ANA)), DORA)

    assert (way.problem, way.representative.tax_id) == (None, "B12345674")


async def test_representing_oneself_does_not_extend_to_another_tax_id(kernel, berta, use):
    await berta.put(OWN, {"file": encoded(person(BERTA).pem()), "represents": True})
    await berta.put("/api/teams/current", {"taxId": DORA})

    way = await way_in(kernel, berta, use(person(ANA)), DORA)

    assert way.problem.code == "CERTIFICATE_OF_ANOTHER"


async def test_a_certificate_of_a_former_tax_id_does_not_sign_records(renamed, use):
    use(person(ANA, kind="rsa"), signed_mode="on", **OFFICE)

    refused = await renamed.refused(400, "PUT", "/api/einvoice/mode", {"mode": "no_verifactu"})

    assert "not that of the issuer" in refused["detail"]
    assert (await renamed.get("/api/einvoice/mode"))["choices"] == ["verifactu"]


async def earlier(kernel, api, channel, environment=Environment.TEST):
    """Codes and remedies of what hinders a correction under the tax identifier that Berta had before."""
    ctx = await accounts.system_context(kernel, api.team["id"])
    async with ctx.transaction() as inner:
        return await access.reporting_obstacles(inner, channel, environment, BERTA)


async def test_corrections_under_an_earlier_tax_id_go_as_long_as_its_certificate_is_there(kernel, renamed, use):
    channel = use(person(ANA), **OFFICE)
    with_the_old_one = await earlier(kernel, renamed, channel)
    await renamed.put(OWN, {"file": encoded(person(DORA).pem())})

    (problem,) = await earlier(kernel, renamed, channel)

    assert with_the_old_one == []
    assert (problem.code, problem.field) == ("CERTIFICATE_OF_ANOTHER", "certificate")
    assert BERTA in problem.message
    assert DORA in problem.message
    assert "PUT /api/teams/current" in problem.remedy
    assert await earlier(kernel, renamed, channel, Environment.SANDBOX) == []


async def test_corrections_under_an_earlier_tax_id_end_with_its_certificate(kernel, renamed, use):
    async with as_owner(kernel) as connection:
        await connection.execute(text("update fiscal_certificate set valid_to = now() - interval '1 day'"))

    (problem,) = await earlier(kernel, renamed, use(person(ANA), **OFFICE))

    assert problem.code == "CERTIFICATE_OF_ANOTHER"


async def test_the_way_that_the_refusal_names_leads_to_the_correction(kernel, renamed, use):
    channel = use(person(ANA), **OFFICE)
    await renamed.put(OWN, {"file": encoded(person(DORA).pem())})

    await renamed.put("/api/teams/current", {"taxId": BERTA})
    await renamed.put(OWN, {"file": encoded(person(DORA).pem()), "represents": True})
    await renamed.put("/api/teams/current", {"taxId": DORA})

    assert await earlier(kernel, renamed, channel) == []
