"""`ledgerkit go-live` between a trial and production, as an operator goes from one to the other."""

import httpx2

from ledgerkit.providers.es.sandbox import sandbox
from support.api import Api
from support.commands import ledgerkit
from support.credentials import authority_of, encoded, person
from support.going_live import PRODUCER
from support.office import emit, settled
from support.serving import Server, reporting_to, served

TAX_ID = "50000001W"


def reached(server: Server) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=server.url, timeout=60)


async def of_ana(client: httpx2.AsyncClient) -> Api:
    api = Api(client, {}, "ana@example.com", "")
    await api.log_in()
    return api


async def test_from_the_trial_to_the_first_real_invoice(tmp_path, fresh_urls):
    directory, database = tmp_path / "data", {"DATABASE_URL": fresh_urls.owner}
    authority = sandbox(tmp_path / "authority")
    await authority.start()
    producer = {f"VERIFACTU_{name.upper()}": str(value) for name, value in PRODUCER.items()}
    theirs = {name: value for name, value in reporting_to(authority.access).items() if "CERT_FILE" not in name}
    real = {**database, **theirs, **producer, "EINVOICE_ENV": "production"}
    try:
        async with (
            served(directory, **database) as server,
            httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
        ):
            api = await Api.with_team(client, "ana@example.com", "Ana Ruiz", TAX_ID)
            tried = await api.invoice()
            await emit(api, tried)
            await settled(api, tried)

        refused = await ledgerkit(directory, "serve", **real)
        lacking = await ledgerkit(directory, "go-live", **real)
        async with (
            served(directory, **database) as server,
            httpx2.AsyncClient(base_url=server.url, timeout=60) as client,
        ):
            api = await of_ana(client)
            own = person(TAX_ID, by=authority_of(authority.access.ca_file))
            await api.put("/api/einvoice/certificate", {"file": encoded(own.pem())})
        doctor = await ledgerkit(directory, "doctor", **real)
        previewed = await ledgerkit(directory, "go-live", "--dry-run", **real)
        done = await ledgerkit(directory, "go-live", **real)
        again = await ledgerkit(directory, "go-live", **real)

        async with served(directory, **real) as server, reached(server) as client:
            api = await of_ana(client)
            listed = await api.get("/api/invoices")
            first = await api.invoice()
            emitted = await emit(api, first)
            final = await settled(api, first)
    finally:
        await authority.stop()

    assert (refused.code, "ledgerkit go-live" in refused.err) == (78, True), refused
    assert (lacking.code, "VERIFACTU_CERT_FILE" in lacking.out) == (3, True), lacking
    assert "Accounts with data of a trial" in doctor.out
    assert (previewed.code, "1 invoice, " in previewed.out) == (0, True), previewed
    assert (done.code, "is live" in done.out, again.code) == (0, True, 0), done
    assert listed == []
    assert (emitted["number"][-5:], final["status"], final["environment"]) == ("-0001", "accepted", "production")
