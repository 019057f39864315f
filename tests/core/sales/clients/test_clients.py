"""Clients, and their matching and creation by invoices (interface decisions B3, C)."""

import pytest

from support.api import CLIENT


async def names(ana) -> list[str]:
    return [one["name"] for one in await ana.get("/api/clients")]


async def test_an_embedded_client_is_stored_once(ana):
    first = await ana.invoice()
    second = await ana.invoice(client={"name": "Otro nombre", "taxId": "b-12345674"})

    [stored] = await ana.get("/api/clients")

    assert first["clientId"] == second["clientId"] == stored["id"]
    assert (second["client"]["name"], stored["name"]) == ("Otro nombre", CLIENT["name"])
    assert second["client"]["email"] == CLIENT["email"]


async def test_among_clients_with_one_tax_id_the_name_decides_then_the_newest(ana):
    north = await ana.post("/api/clients", {**CLIENT, "name": "Sede Norte"})
    south = await ana.post("/api/clients", {**CLIENT, "name": "Sede Sur"})

    by_name = await ana.invoice(client={"name": "SEDE NORTE", "taxId": CLIENT["taxId"]})
    newest = await ana.invoice(client={"name": "Otra", "taxId": CLIENT["taxId"]})

    assert (by_name["clientId"], newest["clientId"]) == (north["id"], south["id"])


async def test_without_a_tax_id_the_name_links(ana):
    stored = await ana.post("/api/clients", {"name": "Peña y Compañía"})

    invoice = await ana.invoice(client={"name": "PEÑA Y COMPAÑIA"})
    other = await ana.invoice(client={"name": "Peña"})

    assert invoice["clientId"] == stored["id"]
    assert other["clientId"] not in {stored["id"], None}


async def test_issued_invoices_keep_the_client_as_it_was(ana):
    draft = await ana.invoice()
    invoice = await ana.patch(f"/api/invoices/{draft['id']}/pay")

    await ana.put(f"/api/clients/{invoice['clientId']}", {"name": "Nombre Nuevo", "email": "nuevo@norte.example"})
    await ana.delete(f"/api/clients/{invoice['clientId']}")

    assert (await ana.get(f"/api/invoices/{invoice['id']}"))["client"] == invoice["client"]


async def test_a_client_given_by_id_is_copied(ana):
    stored = await ana.post("/api/clients", {**CLIENT, "city": "Bilbao", "language": "en"})

    invoice = await ana.post(
        "/api/invoices", {"clientId": stored["id"], "items": [{"description": "x", "unitPrice": 1}]}
    )

    for name in ("name", "taxId", "country", "email", "city", "language"):
        assert invoice["client"][name] == stored[name]


async def test_absent_fields_keep_their_value_and_null_clears(ana):
    stored = await ana.post("/api/clients", {**CLIENT, "phone": "600", "dir3": {"managingBody": "L02"}})

    changed = await ana.put(f"/api/clients/{stored['id']}", {"phone": None, "city": "Bilbao"})

    assert changed | {"phone": "600", "city": stored["city"], "updatedAt": stored["updatedAt"]} == stored
    assert (changed["phone"], changed["city"]) == (None, "Bilbao")


async def test_a_country_is_never_cleared(ana):
    stored = await ana.post("/api/clients", {"name": "Acme", "country": "DE"})

    assert (await ana.put(f"/api/clients/{stored['id']}", {"country": None}))["country"] == "DE"


async def test_a_deleted_client_is_hidden(ana):
    stored = await ana.post("/api/clients", CLIENT)

    answer = await ana.delete(f"/api/clients/{stored['id']}")

    assert answer == {"ok": True}
    assert await names(ana) == []
    for method in ("GET", "PUT", "DELETE"):
        await ana.refused(404, method, f"/api/clients/{stored['id']}", {} if method == "PUT" else None)
    invoice = await ana.invoice()
    assert invoice["clientId"] != stored["id"]


async def test_a_doubtful_foreign_tax_id_is_kept_with_a_warning(ana):
    stored = await ana.post("/api/clients", {"name": "Acme", "country": "DE", "taxId": "XXX"})

    assert stored["taxId"] == "XXX"
    assert [one.partition(": ")[0] for one in stored["warnings"]] == ["taxId"]


async def test_the_warning_of_a_client_is_in_the_language_of_who_stores_it(ana):
    body = {"name": "Acme", "country": "DE", "taxId": "XXX"}
    english = await ana.post("/api/clients", body)

    answer = await ana.request("PUT", f"/api/clients/{english['id']}", body, **{"Accept-Language": "es"})

    assert answer.json()["warnings"] == ["taxId: no tiene la forma de un NIF-IVA de DE"]
    assert (await ana.get(f"/api/clients/{english['id']}"))["warnings"] == answer.json()["warnings"]
    assert english["warnings"] != answer.json()["warnings"]


async def test_a_list_shows_the_warnings_of_a_single_client(ana):
    stored = await ana.post("/api/clients", {"name": "Acme", "country": "DE", "taxId": "XXX"})

    assert await ana.get("/api/clients") == [stored]


@pytest.mark.usefixtures("unreported")
async def test_counts_and_sums_follow_the_invoices(ana):
    invoice = await ana.invoice()
    path = f"/api/clients/{invoice['clientId']}"

    async def figures() -> tuple[float, ...]:
        stored = await ana.get(path)
        return stored["invoiceCount"], stored["totalInvoiced"], stored["balance"]

    figures_over_time = [await figures()]
    await ana.patch(f"/api/invoices/{invoice['id']}/pay")
    figures_over_time.append(await figures())
    await ana.delete(f"/api/invoices/{invoice['id']}")
    figures_over_time.append(await figures())

    assert figures_over_time == [(0, 0, 0), (1, 1452, 0), (0, 0, 0)]


async def test_a_person_who_is_invoiced_with_retention_is_a_professional(ana):
    person = {"name": "Eva Gil", "taxId": "12345678Z"}

    plain = await ana.post("/api/clients", person)
    professional = await ana.post("/api/clients", {**person, "defaultRetentionRate": 15})

    assert (plain["isCompany"], professional["isCompany"]) == (False, True)
