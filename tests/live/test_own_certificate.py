"""An operator without a certificate: an account with its own needs nothing else of the operator's."""

import httpx2
import pytest

from ledgerkit.providers.es.sandbox import sandbox
from support.api import Api
from support.credentials import authority_of, encoded, person
from support.office import emit
from support.serving import reporting_to, served

pytestmark = pytest.mark.whole

TAX_ID = "50000001W"


async def test_with_ones_own_certificate_invoices_are_emitted_and_annulled(tmp_path, fresh_urls):
    authority = sandbox(tmp_path / "authority")
    await authority.start()
    theirs = {name: value for name, value in reporting_to(authority.access).items() if "CERT_FILE" not in name}
    try:
        async with (
            served(tmp_path / "data", DATABASE_URL=fresh_urls.owner, **theirs) as server,
            httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
        ):
            api = await Api.with_team(client, "ana@example.com", "Ana Ruiz", TAX_ID)
            draft = await api.invoice()
            without = await api.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})
            own_certificate = person(TAX_ID, by=authority_of(authority.access.ca_file))
            await api.put("/api/einvoice/certificate", {"file": encoded(own_certificate.pem())})
            emitted = await emit(api, draft)
            annulled = await api.post("/api/einvoice/annul", {"fiscalId": emitted["fiscalId"], "reason": "twice"})
    finally:
        await authority.stop()

    assert [one["field"] for one in without["errors"]] == ["LEDGERKIT_VERIFACTU_CERT_FILE"]
    assert (emitted["status"], annulled["status"]) == ("accepted", "annulled")
