from datetime import UTC, date, datetime, timedelta

import pytest
from pydantic import ValidationError
from spanish_documents import CHANNEL, ISSUER, invoice

from ledgerkit import clock
from ledgerkit.problems import Internal
from ledgerkit.providers.api import Delivery, Environment, Heading, Installation, Place, SandboxAccess
from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu import PREFIX
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import CertificateKind, VerifactuSettings
from support.credentials import person

REAL = [Environment.TEST, Environment.PRODUCTION]
AT = datetime(2026, 11, 20, 10, tzinfo=UTC)


def place(environment):
    here = Installation(number="1", several_issuers=False)
    return Place(previous=None, installation=here, at=AT, environment=environment)


def configured(**values):
    return VerifactuSettings(_env_file=None, **values)


def test_the_sandbox_needs_nothing():
    assert not CHANNEL.ready(Environment.SANDBOX)
    assert CHANNEL.seal(invoice(), place(Environment.SANDBOX))


def told(problem):
    """Texts of a problem in Spanish and in English."""
    return [problem.translations[language] for language in ("es", "en")]


FOR_THE_DECLARATION = ["PRODUCER_ADDRESS", "DECLARATION_PLACE", "DECLARATION_DATE"]


@pytest.mark.parametrize(
    ("environment", "more"), [(Environment.TEST, []), (Environment.PRODUCTION, FOR_THE_DECLARATION)]
)
def test_missing_settings_are_named(environment, more):
    problems = CHANNEL.ready(environment)

    names = ["PRODUCER_NAME", "PRODUCER_TAX_ID", "CERT_FILE", *more]
    assert [problem.field for problem in problems] == [f"{PREFIX}{name}" for name in names]
    assert all(problem.field in said.remedy for problem in problems for said in told(problem))
    assert "PUT /api/einvoice/certificate" in problems[2].remedy


def declared(signed_on):
    return configured(
        producer_name="P",
        producer_tax_id="12345678Z",
        producer_address="Calle Mayor 1, 28013 Madrid (España)",
        declaration_place="Madrid (España)",
        declaration_date=signed_on,
    )


def test_nobody_signs_the_declaration_in_the_future():
    today = clock.today("Europe/Madrid")
    tomorrow = VerifactuChannel(declared(today + timedelta(days=1)))

    (problem,) = tomorrow.ready(Environment.PRODUCTION, own_certificate=True)
    (refused,) = tomorrow.declares.declaration(Environment.TEST)

    assert (problem.field, problem.code) == (f"{PREFIX}DECLARATION_DATE", "DECLARATION_DATE_FUTURE")
    assert all(problem.field in said.remedy and str(today) in said.message for said in told(problem))
    assert refused == problem
    assert "NO ES UNA DECLARACIÓN" in tomorrow.declares.declaration(Environment.SANDBOX).notice
    assert tomorrow.ready(Environment.TEST, own_certificate=True) == []
    assert VerifactuChannel(declared(today)).ready(Environment.PRODUCTION, own_certificate=True) == []


@pytest.mark.parametrize(("self_signed", "codes"), [(True, ["CERTIFICATE_SELF_SIGNED"]), (False, [])])
@pytest.mark.parametrize("environment", REAL)
def test_a_certificate_that_only_its_holder_vouches_for_is_reported(tmp_path, environment, self_signed, codes):
    (tmp_path / "c.pem").write_bytes(person(self_signed=self_signed).pem())
    setup = declared(date(2026, 11, 1)).model_copy(update={"cert_file": tmp_path / "c.pem"})

    problems = VerifactuChannel(setup).ready(environment)

    assert [one.code for one in problems] == codes
    assert [one.field for one in problems] == [f"{PREFIX}CERT_FILE" for _ in codes]
    assert all("RUIZ GIL ANA" in said.message and PREFIX in said.remedy for one in problems for said in told(one))


def test_all_that_production_lacks_is_named_at_once(tmp_path):
    (tmp_path / "c.pem").write_bytes(person(self_signed=True).pem())

    problems = VerifactuChannel(configured(cert_file=tmp_path / "c.pem")).ready(Environment.PRODUCTION)

    names = ["PRODUCER_NAME", "PRODUCER_TAX_ID", *FOR_THE_DECLARATION, "CERT_FILE"]
    assert [one.field for one in problems] == [f"{PREFIX}{name}" for name in names]


@pytest.mark.parametrize("environment", REAL)
def test_no_record_names_a_producer_that_is_not_configured(environment):
    with pytest.raises(Internal, match="producer"):
        CHANNEL.seal(invoice(), place(environment))


def test_a_producer_with_a_wrong_letter_counts_as_missing():
    missing = configured(producer_name="P", producer_tax_id="12345678A", cert_file="x.pem").missing(Environment.TEST)

    assert [problem.field for problem in missing] == [f"{PREFIX}PRODUCER_TAX_ID"]


def test_a_certificate_that_cannot_be_read_is_reported_before_it_is_needed(tmp_path):
    setup = configured(producer_name="P", producer_tax_id="12345678Z", cert_file=tmp_path / "none.pem")

    (problem,) = VerifactuChannel(setup).ready(Environment.TEST)

    assert problem.field == f"{PREFIX}CERT_FILE"
    assert "none.pem" in problem.message
    assert problem.translations["es"].message.startswith("los ficheros del certificado no se pueden usar")
    assert "none.pem" in problem.translations["es"].message


def test_missing_settings_are_named_in_both_languages():
    half = configured(representative_tax_id="12345678Z", signed_mode="off")
    channel = VerifactuChannel(half)
    settings = [*channel.ready(Environment.PRODUCTION), *channel.signs.ready(Environment.TEST)]
    keyless = VerifactuChannel(configured(signed_mode="on")).signs.ready(Environment.TEST)
    papers = channel.declares.declaration(Environment.PRODUCTION)

    for problem in (*settings, *keyless, *papers):
        said = problem.translations
        assert (said["en"].message, said["en"].remedy) == (problem.message, problem.remedy)
        assert said["es"].message != problem.message
        assert said["es"].remedy != problem.remedy
    assert all(PREFIX in one.translations["es"].remedy for one in (*settings, *papers))
    assert (len(settings), len(keyless), len(papers)) == (8, 1, 5)


def test_variables_are_read_with_their_prefix(monkeypatch):
    monkeypatch.setenv(f"{PREFIX}PRODUCER_NAME", "Productora SL")
    monkeypatch.setenv(f"{PREFIX}PRODUCER_TAX_ID", "ES-B64717838")
    monkeypatch.setenv(f"{PREFIX}SYSTEM_ID", "7Z")
    monkeypatch.setenv(f"{PREFIX}URL", "")

    software = configured().software(Environment.PRODUCTION)

    assert (software.producer_name, software.producer_tax_id, software.system_id) == (
        "Productora SL",
        "B64717838",
        "7Z",
    )
    assert configured().endpoint(Environment.PRODUCTION).url.startswith("https://www1.agenciatributaria.gob.es/")


@pytest.mark.parametrize("system_id", ["", "l", "ab", "ABC", "A-"])
def test_the_systems_code_has_two_capitals_or_digits(system_id):
    with pytest.raises(ValidationError):
        configured(system_id=system_id)


@pytest.mark.parametrize(
    ("environment", "kind", "host"),
    [
        (Environment.PRODUCTION, CertificateKind.PERSON, "www1.agenciatributaria.gob.es"),
        (Environment.PRODUCTION, CertificateKind.SEAL, "www10.agenciatributaria.gob.es"),
        (Environment.TEST, CertificateKind.PERSON, "prewww1.aeat.es"),
        (Environment.TEST, CertificateKind.SEAL, "prewww10.aeat.es"),
    ],
)
def test_hosts_by_environment_and_certificate(environment, kind, host):
    endpoint = configured(cert_kind=kind).endpoint(environment)

    assert endpoint.url == f"https://{host}/wlpl/TIKE-CONT/ws/SistemaFacturacion/VerifactuSOAP"


def test_an_address_of_ones_own_replaces_the_authoritys():
    assert configured(url="https://127.0.0.1:1/x").endpoint(Environment.TEST).url == "https://127.0.0.1:1/x"


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "127.0.0.1", "https://", "https://127.0.0.1:99999/", "x"])
def test_an_address_without_tls_or_sense_is_refused_at_start(url):
    with pytest.raises(ValidationError):
        configured(url=url)


def test_the_password_is_not_shown():
    assert "hunter2" not in repr(configured(cert_password="hunter2"))


async def test_without_a_sandbox_nothing_is_sent():
    delivery = await CHANNEL.deliver(b"<a/>", Environment.SANDBOX, timeout_seconds=1)

    assert delivery == Delivery(status=None, body=b"", error="no service is configured for sandbox", sent=False)


def test_connecting_a_sandbox_gives_another_channel_and_leaves_this_one(tmp_path):
    access = SandboxAccess(url="https://127.0.0.1:1/", ca_file=tmp_path / "ca", certificate_file=tmp_path / "cert")

    connected = CHANNEL.connect_sandbox(access)

    assert connected is not CHANNEL
    assert connected.id == CHANNEL.id
    assert connected.message(Heading(issuer=ISSUER), [b"<a/>"]) == CHANNEL.message(Heading(issuer=ISSUER), [b"<a/>"])


def test_every_setting_is_explained():
    assert set(country.settings_help) == {f"{PREFIX}{name.upper()}" for name in VerifactuSettings.model_fields}
