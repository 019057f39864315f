"""The declaration of responsibility of the producer: its readers and forms, and that none is ever lost."""

from dataclasses import replace
from datetime import date
from types import MappingProxyType

import pytest
from sqlalchemy import text

from ledgerkit import __version__
from ledgerkit.core.einvoice.certificates import access
from ledgerkit.core.einvoice.certificates import operations as certificates
from ledgerkit.core.einvoice.certificates.api import CertificateInput
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.providers.api import Environment
from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.registry import Registry
from ledgerkit.settings import EInvoiceEnvironment
from support.api import Api
from support.credentials import encoded, entity, person
from support.database import as_owner

PATH = "/api/einvoice/declaration"
WHOLE = {
    "producer_name": "Productora del Norte, S.L.",
    "producer_tax_id": "B64717838",
    "producer_address": "Calle Mayor, 1, 28013 Madrid (España)",
    "declaration_place": "Madrid (España)",
    "declaration_date": date(2026, 11, 21),
}


@pytest.fixture
def settings(settings):
    return settings.model_copy(update={"einvoice_env": type(settings.einvoice_env).TEST})


@pytest.fixture
def use(kernel):
    """Has the server configured with these settings of the channel."""

    def configure(**values) -> VerifactuChannel:
        channel = VerifactuChannel(VerifactuSettings(_env_file=None, **values))
        registry = Registry(countries=MappingProxyType({"ES": replace(country, channels=(channel,))}))
        object.__setattr__(kernel, "countries", registry)
        return channel

    return configure


@pytest.fixture
async def ana(client, use) -> Api:
    use(**WHOLE)
    return await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")


async def stored_statements(kernel):
    async with as_owner(kernel) as connection:
        return list(await connection.execute(text("select * from fiscal_declaration order by rendered_at")))


async def test_the_statement_is_read_as_json_text_and_page(ana):
    statement = await ana.get(PATH)
    plain = await ana.request("GET", f"{PATH}?format=text")
    page = await ana.request("GET", f"{PATH}?format=html")

    assert (statement["version"], statement["notice"], len(statement["items"])) == (__version__, None, 12)
    assert plain.headers["content-type"] == "text/plain; charset=utf-8"
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    for item in statement["items"]:
        assert f"{item['key']}) {item['text']}:\n{item['value']}" in plain.text
        assert item["text"] in page.text
    assert plain.text.startswith(statement["title"])


async def test_configured_values_are_escaped_in_the_page(ana, use):
    use(**{**WHOLE, "producer_name": "<script>alert(1)</script> & Cía."})

    page = await ana.request("GET", f"{PATH}?format=html")

    assert "<script>" not in page.text
    assert "&lt;script&gt;" in page.text


async def test_each_statement_that_was_shown_is_stored_once(ana, kernel):
    first = await ana.get(PATH)
    second = await ana.get(PATH)

    assert first == second
    (row,) = await stored_statements(kernel)
    assert (row.channel, row.version, row.digest.hex()) == ("verifactu", __version__, first["digest"])
    assert row.content["items"] == first["items"]


async def test_earlier_versions_stay_readable_as_they_were(ana, use, kernel, monkeypatch):
    first = await ana.get(PATH)
    monkeypatch.setattr("ledgerkit.providers.es.verifactu.settings.__version__", "9.0.0")
    use(**{**WHOLE, "producer_name": "Otra Productora, S.L."})

    second = await ana.get(PATH)
    earlier = await ana.get(f"{PATH}?version={__version__}")
    unknown = await ana.refused(404, "GET", f"{PATH}?version=0.0.1")

    assert (first["version"], second["version"]) == (__version__, "9.0.0")
    assert earlier == first
    assert f"{__version__}, 9.0.0" in unknown["remedy"]
    assert len(await stored_statements(kernel)) == 2


async def test_another_signature_of_the_same_version_is_stored_besides_the_first(ana, use, kernel, monkeypatch):
    await ana.get(PATH)
    async with as_owner(kernel) as connection:
        await connection.execute(text("update fiscal_declaration set rendered_at = now() - interval '1 day'"))
    use(**{**WHOLE, "declaration_place": "Sevilla (España)"})

    latest = await ana.get(f"{PATH}?version={__version__}")

    assert "Sevilla" in latest["items"][-1]["value"]
    assert len(await stored_statements(kernel)) == 2
    monkeypatch.setattr("ledgerkit.providers.es.verifactu.settings.__version__", "9.0.0")
    assert await ana.get(f"{PATH}?version={__version__}") == latest


async def test_stored_statements_cannot_be_changed_or_removed_by_the_application(ana, database):
    await ana.get(PATH)

    for statement in ("delete from fiscal_declaration", "update fiscal_declaration set version = 'x'"):
        with pytest.raises(Exception, match="permission denied"):
            async with database.transaction(None) as connection:
                await connection.execute(text(statement))


async def test_without_a_producer_there_is_no_statement_and_the_settings_are_named(ana, use, kernel):
    use(producer_name="P")

    problem = await ana.refused(400, "GET", PATH)

    assert problem["code"] == "DECLARATION_INCOMPLETE"
    assert {error["field"].removeprefix("LEDGERKIT_VERIFACTU_") for error in problem["errors"]} == {
        "PRODUCER_TAX_ID",
        "PRODUCER_ADDRESS",
        "DECLARATION_PLACE",
        "DECLARATION_DATE",
    }
    assert "LEDGERKIT_VERIFACTU_PRODUCER_ADDRESS" in problem["remedy"]
    assert await stored_statements(kernel) == []


async def test_an_earlier_statement_is_readable_without_a_producer(ana, use):
    first = await ana.get(PATH)
    use()

    assert await ana.get(f"{PATH}?version={__version__}") == first


async def test_a_specimen_is_not_stored(ana, use, kernel):
    use()
    object.__setattr__(kernel, "settings", kernel.settings.model_copy(update={"einvoice_env": SANDBOX}))

    statement = await ana.get(PATH)
    plain = await ana.request("GET", f"{PATH}?format=text")

    assert "NO ES UNA DECLARACIÓN" in statement["notice"]
    assert statement["renderedAt"] is None
    assert statement["notice"] in plain.text
    assert f">{statement['notice']}<" in (await ana.request("GET", f"{PATH}?format=html")).text
    assert await stored_statements(kernel) == []


SANDBOX, PRODUCTION = EInvoiceEnvironment.SANDBOX, EInvoiceEnvironment.PRODUCTION


async def test_countries_without_a_statement_say_so(ana, kernel):
    object.__setattr__(kernel, "countries", Registry())

    assert (await ana.refused(400, "GET", PATH))["code"] == "EINVOICE_UNSUPPORTED"
    assert (await ana.get("/api/einvoice/providers"))["obligations"] == []


# ---------------------------------------------------------------- where an operator's certificate is needed


async def test_settings_that_the_server_lacks_are_named_with_a_remedy_for_the_operator(ana, use):
    use()
    draft = await ana.invoice()
    path, sent = "/api/einvoice/emit", {"invoiceId": draft["id"]}

    english = (await ana.request("POST", path, sent)).json()
    spanish = (await ana.request("POST", path, sent, **{"accept-language": "es"})).json()

    assert english["detail"].startswith("This server cannot report documents yet: LEDGERKIT_VERIFACTU_PRODUCER_NAME")
    assert spanish["detail"].startswith("Este servidor todavía no puede comunicar documentos")
    assert "Pon LEDGERKIT_VERIFACTU_PRODUCER_NAME" in spanish["remedy"]
    assert "PUT /api/einvoice/certificate" in spanish["remedy"]


@pytest.mark.parametrize(
    "how",
    [
        ("POST", "/api/einvoice/emit", lambda draft: {"invoiceId": draft["id"]}),
        ("PATCH", "/api/invoices/{id}/pay", lambda _: {}),
    ],
    ids=["emitted", "paid"],
)
@pytest.mark.parametrize("date_of_signing", [None, date(2999, 1, 1)], ids=["unsigned", "signed in the future"])
async def test_production_numbers_nothing_before_the_declaration_is_whole(ana, kernel, use, how, date_of_signing):
    use(**WHOLE | {"declaration_date": date_of_signing})
    await ana.put("/api/einvoice/certificate", {"file": encoded(person().pem())})
    draft = await ana.invoice()
    object.__setattr__(kernel, "settings", kernel.settings.model_copy(update={"einvoice_env": PRODUCTION}))
    method, path, body = how

    problem = await ana.refused(400, method, path.format(**draft), body(draft))

    assert problem["code"] == "FISCAL_CHECK_FAILED"
    assert [error["field"] for error in problem["errors"]] == ["LEDGERKIT_VERIFACTU_DECLARATION_DATE"]
    assert "LEDGERKIT_VERIFACTU_DECLARATION_DATE" in problem["remedy"]
    assert (await ana.get(f"/api/invoices/{draft['id']}"))["number"] is None


async def test_what_production_needs_is_one_list_before_it_begins(ana, kernel, use):
    channel = use(producer_name="P")
    ctx = await accounts.system_context(kernel, ana.team["id"])
    object.__setattr__(kernel, "settings", kernel.settings.model_copy(update={"einvoice_env": SANDBOX}))

    async def needs():
        async with ctx.transaction() as inner:
            return [one.field.removeprefix("LEDGERKIT_VERIFACTU_") for one in await access.production_needs(inner)]

    without = await needs()
    use(**WHOLE)
    await ana.put("/api/einvoice/certificate", {"file": encoded(person(self_signed=True).pem())})
    self_signed = await needs()
    await ana.put("/api/einvoice/certificate", {"file": encoded(person().pem())})
    ready = await needs()
    async with as_owner(kernel) as connection:
        await connection.execute(text("update fiscal_certificate set valid_to = now() - interval '1 day'"))
    run_out = await needs()
    await ana.put("/api/teams/current", {"einvoicing": "off"})

    assert channel.ready(Environment.SANDBOX) == []
    assert without == ["PRODUCER_TAX_ID", "CERT_FILE", "PRODUCER_ADDRESS", "DECLARATION_PLACE", "DECLARATION_DATE"]
    assert (self_signed, ready, run_out) == (["certificate"], [], ["certificate"])
    ctx = await accounts.system_context(kernel, ana.team["id"])
    assert await needs() == []


async def test_an_account_with_a_certificate_needs_none_of_the_operators(ana, kernel, use):
    channel = use(**WHOLE)
    ctx = await accounts.system_context(kernel, ana.team["id"])

    async def unready():
        async with ctx.transaction() as inner:
            return [
                one.field for one in await access.reporting_obstacles(inner, channel, Environment.TEST, "12345678Z")
            ]

    without = await unready()
    await ana.put("/api/einvoice/certificate", {"file": encoded(person().pem())})

    assert without == ["LEDGERKIT_VERIFACTU_CERT_FILE"]
    assert await unready() == []


async def test_the_operator_is_named_where_it_reports_for_others(ana, kernel, use):
    channel = use(**WHOLE, representative_name="Gestoría Sur, S.L.", representative_tax_id="ES-B12345674")
    ctx = await accounts.system_context(kernel, ana.team["id"])

    async def access_and_representative(issuer: str):
        async with ctx.transaction() as inner:
            way = await access.authority_access(inner, channel, Environment.TEST, issuer)
        return way.access, way.representative and (way.representative.name, way.representative.tax_id)

    for_another = await access_and_representative("12345678Z")
    for_itself = await access_and_representative("B12345674")
    await certificates.upload(ctx, CertificateInput(file=encoded(person().pem())))
    own_access, no_representative = await access_and_representative("12345678Z")

    assert for_another == (None, ("Gestoría Sur, S.L.", "B12345674"))
    assert for_itself == (None, None)
    assert own_access.certificate
    assert no_representative is None


async def test_the_operators_certificate_is_shown_where_there_is_no_other(ana, use, tmp_path):
    (tmp_path / "c.pem").write_bytes(entity("B12345674").pem())
    use(**WHOLE, cert_file=tmp_path / "c.pem")

    certificate = (await ana.get("/api/einvoice/providers"))["certificate"]

    assert (certificate["of"], certificate["daysLeft"]) == ("operator", 364)
