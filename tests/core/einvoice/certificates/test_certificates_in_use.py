"""A certificate that alone can sign the records that are kept stays, until another one can or none is needed."""

import pytest

from ledgerkit.providers.api import SandboxAccess
from ledgerkit.providers.es import country
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from support.api import Api
from support.credentials import encoded, person
from support.description import differences
from support.tills import Till, line

PATH = "/api/einvoice/certificate"
SIGNING, OTHER_KEY = person("12345678Z", kind="rsa"), person("12345678Z")


@pytest.fixture
async def ana(client, monkeypatch) -> Api:
    """Her server lets issuers keep records, has no certificate of its own, and no sandbox that would lend one."""
    monkeypatch.setattr(country.channels[0].loaded, "_setup", VerifactuSettings(_env_file=None, signed_mode="on"))
    return await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")


async def upload(api, one):
    return await api.put(PATH, {"file": encoded(one.pem())})


async def keep(api):
    return await api.put("/api/einvoice/mode", {"mode": "no_verifactu"})


async def test_the_certificate_that_signs_records_is_not_removed(ana):
    await upload(ana, SIGNING)
    await keep(ana)

    problem = await ana.refused(409, "DELETE", PATH)
    spanish = await ana.refused(409, "DELETE", PATH, **{"accept-language": "es"})

    assert problem["code"] == "CERTIFICATE_IN_USE"
    assert differences("DELETE /api/einvoice/certificate", 409, problem) == []
    assert "PUT /api/einvoice/certificate" in problem["remedy"]
    assert "firma los registros" in spanish["detail"]
    assert "elige antes `verifactu`" in spanish["remedy"]
    assert (await ana.get(PATH))["signs"] is True


async def test_a_certificate_that_cannot_sign_does_not_replace_a_signing_one(ana):
    await upload(ana, SIGNING)
    await keep(ana)

    problem = await ana.refused(409, "PUT", PATH, {"file": encoded(OTHER_KEY.pem())})

    assert problem["code"] == "CERTIFICATE_IN_USE"
    assert (await ana.get(PATH))["signs"] is True


async def test_another_signing_certificate_replaces_the_one_in_use(ana):
    before = await upload(ana, SIGNING)
    await keep(ana)

    after = await upload(ana, person("12345678Z", kind="rsa"))

    assert after["id"] != before["id"]


async def test_reporting_needs_no_signing_certificate(ana):
    await upload(ana, SIGNING)
    await keep(ana)
    await ana.put("/api/einvoice/mode", {"mode": "verifactu"})

    await ana.delete(PATH)

    await ana.refused(404, "GET", PATH)


async def test_a_signing_certificate_is_needed_once_the_signed_mode_is_scheduled(ana):
    await upload(ana, SIGNING)
    await (await Till.of(ana)).sells(12.1, line(10))
    scheduled = (await keep(ana))["scheduled"]

    problem = await ana.refused(409, "DELETE", PATH)

    assert scheduled["mode"] == "no_verifactu"
    assert problem["code"] == "CERTIFICATE_IN_USE"


async def test_a_signing_certificate_may_be_removed_where_the_servers_own_can_sign(ana, monkeypatch, tmp_path):
    file = tmp_path / "signer.pem"
    file.write_bytes(person("99999990S", kind="rsa").pem())
    await upload(ana, SIGNING)
    await keep(ana)
    lent = SandboxAccess(url="https://127.0.0.1:1/", ca_file=file, certificate_file=file, signer_file=file)
    monkeypatch.setattr(country.channels[0].signs, "_sandbox", lent)

    assert (await ana.delete(PATH))["signs"] is True
