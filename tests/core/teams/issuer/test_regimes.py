"""The team's regime: stated, proposed, changed from a day to come, and what it does to documents (decisions P7)."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
import time_machine

from ledgerkit import clock
from ledgerkit.commands.examining import einvoicing
from support.api import Api
from support.periods import YEAR
from support.tills import Till, line, sale

CURRENT = "/api/teams/current"
NIF = "12345678Z"
NOON = datetime(2026, 12, 15, 11, tzinfo=UTC)
DAY = timedelta(days=1)


async def team(client, **values) -> Api:
    eva = await Api.register(client, "eva@example.com")
    eva.team = await eva.post("/api/teams", {"name": "Eva", "country": "ES", "taxId": NIF, **values})
    return eva


async def paid(api: Api, **fields) -> dict:
    return await api.patch(f"/api/invoices/{(await api.invoice(**fields))['id']}/pay")


def tomorrow() -> str:
    return f"{clock.today('Europe/Madrid') + DAY}"


def today() -> str:
    return f"{clock.today('Europe/Madrid')}"


async def read(api: Api, language: str = "es") -> dict:
    return (await api.request("GET", CURRENT, **{"Accept-Language": language})).json()["team"]


# ---------------------------------------------------------------- stating it


async def test_who_states_none_is_in_the_usual_one(ana):
    shown = await read(ana)

    assert (shown["regime"], shown["regimeFrom"], shown["regimes"], shown["warnings"]) == ("verifactu", None, [], [])


async def test_a_new_team_states_it(client):
    eva = await team(client, regime="sii")

    assert (eva.team["regime"], eva.team["regimeFrom"], eva.team["einvoicing"]) == ("sii", today(), "off")
    assert eva.team["regimes"] == [{"regime": "sii", "from": today()}]


async def test_what_it_offers_is_the_countrys(ana):
    providers = await ana.get("/api/einvoice/providers")

    assert providers["regime"] == "verifactu"
    assert [(one["regime"], one["recorded"], one["duty"] is None) for one in providers["regimes"]] == [
        ("verifactu", True, True),
        ("sii", False, False),
        ("foral", False, False),
    ]
    assert all(one["name"] and one["explanation"] and one["source"] for one in providers["regimes"])


async def test_a_country_without_regimes_refuses_it(client):
    eva = await Api.register(client, "eva@example.com")

    problem = await eva.refused(400, "POST", "/api/teams", {"name": "Eva", "country": "PT", "regime": "sii"})
    made = await eva.post("/api/teams", {"name": "Eva", "country": "PT", "regime": None})

    assert (problem["errors"][0]["field"], "PT" in problem["detail"]) == ("regime", True)
    assert (made["regime"], made["regimes"]) == (None, [])
    assert (await eva.get("/api/einvoice/providers"))["regimes"] == []


@pytest.mark.parametrize("wrong", ["ticketbai", "", "SII", 3, []])
async def test_no_other_is_taken(ana, wrong):
    problem = await ana.refused(400, "PUT", CURRENT, {"regime": wrong})

    assert problem["errors"][0]["field"] == "regime"
    assert (await read(ana))["regimes"] == []


async def test_a_first_day_goes_with_a_regime(ana):
    problem = await ana.refused(400, "PUT", CURRENT, {"regimeFrom": "2027-01-01"})

    assert problem["errors"][0]["field"] == "regimeFrom"


# ---------------------------------------------------------------- changing it


@pytest.mark.parametrize("day", [None, "2026-12-14", "2026-12-15"])
async def test_after_the_first_record_it_changes_from_a_day_to_come_only(client, day):
    with time_machine.travel(NOON, tick=False):
        eva = await team(client)
        await paid(eva)
        change = {"regime": "sii"} | ({} if day is None else {"regimeFrom": day})
        problem = await eva.refused(400, "PUT", CURRENT, change)
        shown = await read(eva)

    assert problem["errors"][0]["field"] == "regimeFrom"
    assert "2026-12-16" in problem["remedy"]
    assert (shown["regime"], shown["regimes"]) == ("verifactu", [])


async def test_a_planned_change_begins_on_its_day_at_the_teams_place_and_keeps_the_history(client):
    first_moment = datetime(2026, 12, 31, 23, tzinfo=UTC)
    with time_machine.travel(first_moment - timedelta(seconds=1), tick=False):
        eva = await team(client)
        recorded = await paid(eva)
        await eva.put(CURRENT, {"regime": "sii", "regimeFrom": "2027-01-01"})
        before, last = await read(eva), await paid(eva)
    with time_machine.travel(first_moment, tick=False):
        after, first = await read(eva), await paid(eva)

    assert (before["regime"], before["einvoicing"], before["regimeFrom"]) == ("verifactu", "on", None)
    assert "Desde el 2027-01-01" in before["warnings"][0]
    assert "SII" in before["warnings"][0]
    assert (after["regime"], after["einvoicing"], after["regimeFrom"]) == ("sii", "off", "2027-01-01")
    assert after["regimes"] == [{"regime": "sii", "from": "2027-01-01"}]
    assert [one["einvoice"] is None for one in (recorded, last, first)] == [False, False, True]
    assert (last["number"], first["number"]) == ("F2026-0002", "F2027-0001")


async def test_what_was_issued_under_a_regime_knows_it_after_the_next_one_began(client):
    with time_machine.travel(NOON, tick=False):
        eva = await team(client, regime="sii")
        under_sii = await paid(eva)
        await eva.put(CURRENT, {"regime": "verifactu", "regimeFrom": "2026-12-17"})
    with time_machine.travel(NOON + 2 * DAY, tick=False):
        await eva.log_in()
        under_verifactu = await paid(eva)
        shown = await eva.get(f"/api/invoices/{under_sii['id']}")
        problem = await eva.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": under_sii["id"]})
        providers = await eva.get("/api/einvoice/providers")
        chain = (await eva.get("/api/einvoice/chain?verify=true"))["unrecorded"]

    assert under_verifactu["einvoice"]["status"] == "pending"
    assert "SII" in shown["warnings"][0]
    assert problem["code"] == "EINVOICING_OFF"
    assert "owes no fiscal record" in problem["detail"]
    assert (providers["unrecorded"], chain["count"], chain["others"]) == (0, 0, {"regime": 1})


async def test_the_change_is_in_the_activity(ana):
    await ana.put(CURRENT, {"regime": "sii"})

    [entry] = [one for one in (await ana.get("/api/invoices/activity/feed")) if one["action"] == "updated"]

    assert entry["changes"]["regimes"]["to"] == {today(): "sii"}


async def test_stating_the_present_one_again_withdraws_the_plan(ana):
    await paid(ana)
    await ana.put(CURRENT, {"regime": "sii", "regimeFrom": tomorrow()})

    shown = (await ana.put(CURRENT, {"regime": "verifactu"}))["team"]

    assert shown["regimes"] == [{"regime": "verifactu", "from": today()}]


async def test_sending_back_what_was_read_states_nothing(ana):
    await paid(ana)
    await ana.put(CURRENT, {"regime": "sii", "regimeFrom": tomorrow()})
    before = await read(ana)

    after = (await ana.put(CURRENT, {"regime": before["regime"], "regimeFrom": before["regimeFrom"]}))["team"]

    assert after["regimes"] == before["regimes"] == [{"regime": "sii", "from": tomorrow()}]


async def test_the_first_day_of_a_regime_can_be_put_right_on_it_and_not_later(client):
    with time_machine.travel(NOON, tick=False):
        eva = await team(client, regime="sii")
        put_right = await eva.put(CURRENT, {"regime": "foral"})
    with time_machine.travel(NOON + DAY, tick=False):
        problem = await eva.refused(400, "PUT", CURRENT, {"regime": "sii"})

    assert put_right["team"]["regimes"] == [{"regime": "foral", "from": "2026-12-15"}]
    assert problem["errors"][0]["field"] == "regimeFrom"


# ---------------------------------------------------------------- what it does


@pytest.mark.parametrize(("regime", "words"), [("sii", "cuatro días"), ("foral", "TicketBAI")])
async def test_a_regime_that_is_not_built_numbers_without_a_record_and_says_what_to_do(client, regime, words):
    eva = await team(client, regime=regime)
    draft = await eva.invoice()

    answer = await eva.request("PATCH", f"/api/invoices/{draft['id']}/pay", None, **{"Accept-Language": "es"})
    preview = (await eva.request("GET", f"/api/invoices/{draft['id']}/pdf?lang=es")).content
    providers = await eva.get("/api/einvoice/providers")

    issued = answer.json()
    assert (issued["number"], issued["einvoice"], issued["issuerIncomplete"]) == (f"F{YEAR}-0001", None, False)
    assert words in issued["warnings"][0]
    assert words in (await read(eva))["warnings"][0]
    assert (providers["einvoicing"], providers["offBecause"], providers["regime"]) == ("off", "regime", regime)
    assert b"%PDF" in preview


async def test_a_dry_run_says_it_too(client):
    eva = await team(client, regime="sii")
    draft = await eva.invoice()

    rehearsed = await eva.request("PATCH", f"/api/invoices/{draft['id']}/pay", None, **{"Dry-Run": "true"})

    assert "SII" in rehearsed.json()["answer"]["warnings"][0]


async def test_nothing_is_emitted_and_the_way_is_named(client):
    eva = await team(client, regime="sii")
    draft = await eva.invoice()

    problem = await eva.refused(400, "POST", "/api/einvoice/emit", {"invoiceId": draft["id"]})

    assert problem["code"] == "EINVOICING_OFF"
    assert "SII" in problem["detail"]
    assert "/pay" in problem["remedy"]
    assert (await eva.get(f"/api/invoices/{draft['id']}"))["number"] is None


async def test_after_the_change_a_credit_note_of_a_recorded_invoice_gets_no_record(client):
    with time_machine.travel(NOON, tick=False):
        eva = await team(client)
        recorded = await paid(eva)
        await eva.put(CURRENT, {"regime": "sii", "regimeFrom": "2026-12-16"})
    with time_machine.travel(NOON + DAY, tick=False):
        body = {
            "invoiceId": recorded["id"],
            "originalFiscalId": recorded["einvoice"]["fiscalId"],
            "originalDate": recorded["issueDate"],
        }
        problem = await eva.refused(400, "POST", "/api/einvoice/credit-note", body)
        drafted = await eva.invoice(docType="credit_note", rectifies=recorded["id"])
        note = (await eva.patch(f"/api/invoices/{drafted['id']}/send"))["invoice"]
        original = await eva.get(f"/api/invoices/{recorded['id']}")

    assert problem["code"] == "EINVOICING_OFF"
    assert "credit_note" in problem["remedy"]
    assert (note["number"], note["einvoice"]) == ("R2026-0001", None)
    assert "SII" in note["warnings"][0]
    assert original["einvoice"]["fiscalId"] == recorded["einvoice"]["fiscalId"]


async def test_a_till_documents_its_sales_without_a_record(client):
    eva = await team(client, regime="sii")

    sold = await (await Till.of(eva)).takes(sale(12.1, line(10, taxRate=21)))

    ticket = await eva.get(f"/api/invoices/{sold['invoiceId']}")
    assert (ticket["number"], ticket["docType"], ticket["einvoice"]) == (f"T{YEAR}-0001", "simplified", None)
    assert "SII" in ticket["warnings"][0]


async def test_the_end_of_off_is_none_for_it(client):
    with time_machine.travel(datetime(2027, 7, 2, tzinfo=UTC), tick=False):
        eva = await team(client, regime="sii", einvoicing="off")
        issued = await paid(eva)
        shown = await read(eva)

    assert issued["einvoice"] is None
    assert not [one for one in shown["warnings"] if "la ley te obliga" in one]


async def test_on_is_refused_while_it_holds(client):
    eva = await team(client, regime="foral")

    problem = await eva.refused(400, "PUT", CURRENT, {"einvoicing": "on"})

    assert (problem["code"], problem["errors"][0]["field"]) == ("EINVOICE_UNSUPPORTED", "einvoicing")


# ---------------------------------------------------------------- what is proposed


@pytest.mark.parametrize(
    ("address", "authority"),
    [
        ({"postalCode": "01001"}, "Diputación Foral de Álava"),
        ({"postalCode": "20001"}, "Diputación Foral de Gipuzkoa"),
        ({"postalCode": "31001"}, "Hacienda Foral de Navarra"),
        ({"postalCode": "48001"}, "Diputación Foral de Bizkaia"),
        ({"province": "Vizcaya"}, "Diputación Foral de Bizkaia"),
    ],
)
async def test_an_address_in_a_foral_territory_is_told_of_its_regime_and_nothing_changes(client, address, authority):
    eva = await team(client, **address)

    [warning] = (await read(eva))["warnings"]

    assert authority in warning
    assert "`foral`" in warning
    assert (eva.team["regime"], eva.team["regimes"]) == ("verifactu", [])
    assert len(eva.team["warnings"]) == 1
    assert (await paid(eva))["einvoice"] is not None


async def test_a_team_that_moves_there_is_told(ana):
    moved = await ana.put(CURRENT, {"postalCode": "48001", "city": "Bilbao", "province": "Bizkaia"})

    assert "Diputación Foral de Bizkaia" in moved["team"]["warnings"][0]


@pytest.mark.parametrize("regime", ["verifactu", "foral"])
async def test_who_has_stated_one_is_not_asked_again(client, regime):
    eva = await team(client, postalCode="48001", regime=regime)

    warnings = (await read(eva))["warnings"]

    assert not [one for one in warnings if "Indica tu régimen" in one]
    assert bool(warnings) == (regime == "foral")
    if warnings:
        assert "LROE" in warnings[0]


@pytest.mark.parametrize("postal_code", ["28013", "35001", "38001", "51001", "52001"])
async def test_elsewhere_nothing_is_proposed(client, postal_code):
    assert (await team(client, postalCode=postal_code)).team["warnings"] == []


async def test_doctor_tells_the_operator_too(client, kernel):
    eva = await team(client, postalCode="48001")

    findings = [str(one.text) async for one in einvoicing.of_issuers(kernel)]

    assert UUID(eva.team["id"])
    assert [one for one in findings if one.startswith("Eva (12345678Z): Your address is in a foral territory")]
