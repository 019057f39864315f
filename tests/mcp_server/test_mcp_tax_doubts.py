"""Wrong tax is said to an assistant while it drafts, and the fields that put it right are published."""

import pytest

from ledgerkit.mcp_server.tools import TOOLS
from support.api import CLIENT, item

GERMAN = {"name": "Beispiel GmbH", "taxId": "DE811569869", "country": "DE", "address": "Hauptstr. 1"}
PERSON = {"name": "Lucía Vega", "taxId": "00000014Z", "country": "ES", "address": "Calle Sur 3"}


@pytest.fixture
async def owner(site):
    api = await site.person()
    await api.put("/api/teams/current", {"address": "Calle Mayor 1"})
    return api


@pytest.fixture
def agent(site, owner):
    return site.agent(owner)


def codes(record):
    return [warning.partition(":")[0] for warning in record.get("warnings") or ()]


def draft(client=CLIENT, **fields):
    return {"client": client, "items": [item()], "taxRate": 21, **fields}


def test_the_fields_that_say_why_a_line_bears_no_vat_are_published():
    created, changed = (TOOLS[name].schema["properties"] for name in ("create_invoice", "update_invoice"))
    line = created["items"]["items"]["properties"]

    assert "intra_eu_services" in line["taxCategory"]["enum"]
    assert {"exemptionCode", "notSubjectReason", "catalogItemId"} <= line.keys()
    assert all(name in created["items"]["description"] for name in ("taxCategory", "exemptionCode", "notSubjectReason"))
    assert changed["items"]["description"] == "As of create_invoice"
    for schema in (created, changed):
        assert schema["placeOfSupply"]["type"] == "string"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (draft(GERMAN), ["FOREIGN_BUSINESS_DOMESTIC_VAT"]),
        (draft(GERMAN, retentionRate=15), ["FOREIGN_BUSINESS_DOMESTIC_VAT", "RETENTION_FROM_ABROAD"]),
        (draft(PERSON, retentionRate=15), ["RETENTION_BY_PRIVATE_PERSON"]),
        (draft(taxRate=0), ["ZERO_RATE_WITHIN_SPAIN"]),
        (draft({"name": "Jeanne Petit", "country": "FR"}, taxRate=0), ["ZERO_RATE_WITHOUT_REASON"]),
        (draft(retentionRate=18), ["RETENTION_RATE_UNKNOWN"]),
        (draft(GERMAN, items=[item(taxCategory="reverse_charge")], taxRate=0), ["REVERSE_CHARGE_ABROAD"]),
        (draft(items=[item(taxCategory="intra_eu_services")], taxRate=0), ["VAT_NUMBER_MISSING"]),
        (draft(), []),
        (draft(retentionRate=15), []),
        (draft(PERSON), []),
        (draft({"name": "Jeanne Petit", "country": "FR"}), []),
        (draft(GERMAN, placeOfSupply="ES"), []),
        (draft(items=[item(taxCategory="exempt", exemptionCode="E1")], taxRate=0), []),
        (draft({"name": "Jeanne Petit", "country": "FR"}, items=[item(taxRate=21, regimeKey="17")]), []),
    ],
)
async def test_creating_and_changing_say_what_is_doubtful(agent, arguments, said):
    created = await agent.ok("create_invoice", **arguments)
    changed = await agent.ok("update_invoice", id=created["id"], notes="dos")
    read = await agent.ok("get_invoice", id=created["id"])

    assert [codes(one) for one in (created, changed, read)] == [said] * 3


async def test_the_place_of_supply_is_an_argument_of_both(agent):
    created = await agent.ok("create_invoice", **draft(GERMAN))

    changed = await agent.ok("update_invoice", id=created["id"], placeOfSupply="ES")

    assert (codes(created), codes(changed)) == (["FOREIGN_BUSINESS_DOMESTIC_VAT"], [])


async def test_a_rate_of_another_day_is_refused_with_those_of_that_day(agent):
    for rate, day in ((19, "2026-11-01"), (7.5, "2024-09-30")):
        refused = await agent.refused("create_invoice", **draft(taxRate=rate, other={"operationDate": day}))

        assert refused["code"] == "TAX_RATE_UNKNOWN"
        assert "21, 10, 4" in str(refused)


async def test_a_service_to_a_german_business_is_proposed_and_a_stated_rate_stays(agent):
    service = await agent.ok("save_catalog_item", name="Diseño", type="service", unitPrice=1000)
    line = item(unitPrice=1000, catalogItemId=service["id"])

    proposed = await agent.ok("create_invoice", client=GERMAN, items=[line])
    stated = await agent.ok("create_invoice", client=GERMAN, items=[line], taxRate=21)
    unknown = await agent.ok("create_invoice", client=GERMAN, items=[item(description="Servicio")])

    assert (proposed["total"], codes(proposed)) == (1000, ["TAX_PROPOSED"])
    assert "349" in proposed["warnings"][0]
    assert (stated["total"], codes(stated)) == (1210, ["FOREIGN_BUSINESS_DOMESTIC_VAT"])
    assert (unknown["total"], codes(unknown)) == (1452, ["FOREIGN_BUSINESS_DOMESTIC_VAT"])


async def test_a_filed_period_is_named(agent, owner):
    asked = {"country": "ES", "form": "303", "year": 2026, "period": "Q3"}
    form = (await owner.post("/api/tax-declarations/generate", asked))["declaration"]
    await owner.patch(f"/api/tax-declarations/{form['id']}/submit")

    late = await agent.ok("create_invoice", **draft(issueDate="2026-09-30"))
    moved = await agent.ok("create_invoice", **draft())
    moved = await agent.ok("update_invoice", id=moved["id"], issueDate="2026-09-30")

    for answer in (late, moved):
        assert codes(answer) == ["ISSUE_DATE_KEPT", "PERIOD_FILED"]
        assert "303 2026 Q3" in answer["warnings"][1]
