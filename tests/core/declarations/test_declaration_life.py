"""A declaration from its first computation to its frozen file, in a country without Spain's rules.

Amounts: 21 % of 1,000.00 is 210.00 and of 121.00 gross 21.00; VT1's box 30 is 10 less 20 less 25.
"""

import asyncio
import hashlib

import pytest

from support import tiny_country
from support.declarations import PATH, QUARTER

SOLD, SPENT = 1000, 121


async def test_boxes_are_sums_of_the_books_with_the_documents_behind_them(declarant):
    invoice = await declarant.sold(SOLD, "2026-07-10")
    expense = await declarant.spent(SPENT, "2026-08-01")
    await declarant.sold(50, "2026-10-02")

    answer = await declarant.post(f"{PATH}/generate", QUARTER)

    made = answer["declaration"]
    assert (answer["invoiceCount"], answer["expenseCount"]) == (1, 1)
    assert made["boxes"] == made["effectiveBoxes"] == {"10": 210, "20": 21, "25": 0, "30": 189}
    assert made["totals"] == {"outputVat": 210, "inputVat": 21, "result": 189}
    assert made["evidence"] == {"10": [invoice["id"]], "20": [expense["id"]]}
    assert (made["form"], made["country"], made["year"], made["period"]) == ("VT1", "VT", 2026, "Q3")
    assert (made["periodStart"], made["periodEnd"], made["dueDate"]) == ("2026-07-01", "2026-09-30", "2026-10-20")
    assert (made["status"], made["origin"], made["resultKind"], made["layoutVersion"]) == (
        "draft",
        "generated",
        "pay",
        "1",
    )
    assert (made["declarationTypes"], made["declarationType"]) == ({"I": "To pay", "U": "Direct debit"}, "I")
    assert made["boxNames"]["10"] == "Tax on sales"
    assert (made["changes"], made["pendingChanges"], made["warnings"], made["file"]) == ([], [], [], None)


async def test_of_nothing_all_boxes_are_zero(declarant):
    made = await declarant.generated()

    assert set(made["boxes"].values()) == {0}
    assert (made["resultKind"], made["declarationType"]) == ("none", "N")


async def test_generating_again_keeps_what_was_decided_and_shows_what_changed(declarant):
    made = await declarant.generated()
    await declarant.changed(made, manualOverrides={"20": 30.5}, notes="Con gestor", iban="ES9121000418450200051332")
    await declarant.sold(SOLD, "2026-07-10")

    again = await declarant.generated()

    assert again["id"] == made["id"]
    assert (again["manualOverrides"], again["notes"]) == ({"20": 30.5}, "Con gestor")
    assert again["iban"] == "ES9121000418450200051332"
    assert again["boxes"] == {"10": 210, "20": 0, "25": 0, "30": 210}
    assert again["effectiveBoxes"] == {"10": 210, "20": 30.5, "25": 0, "30": 179.5}
    assert again["changes"] == [
        {"box": "10", "before": 0, "after": 210},
        {"box": "30", "before": -30.5, "after": 179.5},
    ]


async def test_overrides_are_replaced_as_a_whole_and_followed_by_what_depends_on_them(declarant):
    made = await declarant.generated()

    both = await declarant.changed(made, manualOverrides={"10": 100, "20": 40})
    one = await declarant.changed(made, manualOverrides={"10": 100})
    none = await declarant.changed(made, manualOverrides={})

    assert both["effectiveBoxes"]["30"] == 60
    assert (one["manualOverrides"], one["effectiveBoxes"]["30"]) == ({"10": 100}, 100)
    assert (none["manualOverrides"], none["effectiveBoxes"]["30"]) == ({}, 0)
    assert {two["boxes"]["30"] for two in (both, one, none)} == {0}


async def test_the_result_itself_may_be_overridden(declarant):
    made = await declarant.generated()

    changed = await declarant.changed(made, manualOverrides={"30": -12.34})

    assert (changed["totals"]["result"], changed["resultKind"]) == (-12.34, "compensate")
    assert changed["declarationTypes"] == {"C": "To compensate", "D": "Refund"}


async def test_a_type_is_chosen_among_those_that_the_result_allows(declarant):
    made = await declarant.changed(await declarant.generated(), manualOverrides={"20": 80})

    problem = await declarant.refused(400, "PATCH", f"{PATH}/{made['id']}", {"declarationType": "I"})
    chosen = await declarant.changed(made, declarationType="D")
    usual = await declarant.changed(made, declarationType=None)

    assert problem["errors"][0]["field"] == "declarationType"
    assert "C, D" in problem["remedy"]
    assert (chosen["declarationType"], chosen["resultKind"]) == ("D", "refund")
    assert (usual["declarationType"], usual["resultKind"]) == ("C", "compensate")


async def test_a_type_that_a_new_result_does_not_allow_stays_and_is_warned_of(declarant):
    made = await declarant.changed(await declarant.generated(), manualOverrides={"20": 80})
    await declarant.changed(made, declarationType="D", iban="ES9121000418450200051332")
    await declarant.sold(SOLD, "2026-07-10")

    again = await declarant.generated()
    problem = await declarant.refused(400, "PATCH", f"{PATH}/{made['id']}/submit")

    assert again["declarationType"] == "D"
    assert [one["code"] for one in again["warnings"]] == ["declaration_type_impossible"]
    assert problem["errors"][0]["field"] == "declarationType"


async def test_a_document_that_reaches_no_box_is_warned_of_in_the_readers_language(declarant):
    invoice = await declarant.sold(SOLD, "2026-07-10", taxRate=0)
    made = await declarant.generated()

    answer = await declarant.request("GET", f"{PATH}/{made['id']}", **{"accept-language": "es"})

    number = invoice["number"]
    assert made["warnings"] == [{"code": "no_tax", "message": f"{number} has no tax", "documentIds": [invoice["id"]]}]
    [spanish] = answer.json()["declaration"]["warnings"]
    assert spanish["message"] == f"{number} no lleva impuesto"


async def test_reading_a_draft_shows_what_has_changed_in_the_books_since(declarant):
    made = await declarant.generated()
    await declarant.sold(SOLD, "2026-07-10")

    read = await declarant.read(made)

    assert read["effectiveBoxes"]["30"] == 0
    assert read["pendingChanges"] == [
        {"box": "10", "before": 0, "after": 210},
        {"box": "30", "before": 0, "after": 210},
    ]
    assert [one["code"] for one in read["warnings"]] == ["books_changed"]


async def test_a_submitted_one_is_frozen_with_the_bytes_of_its_file(declarant):
    await declarant.sold(SOLD, "2026-07-10")
    made = await declarant.generated()
    draft_file = (await declarant.request("GET", f"{PATH}/{made['id']}/file")).content

    submitted = await declarant.submitted(made)
    await declarant.sold(500, "2026-08-10")
    await declarant.put("/api/teams/current", {"taxId": "87654321X"})
    read = await declarant.read(made)
    file = await declarant.request("GET", f"{PATH}/{made['id']}/file")

    assert (submitted["status"], submitted["declarationType"]) == ("submitted", "I")
    assert submitted["submittedAt"]
    assert submitted["submittedBy"]
    assert file.content == draft_file == b"VT1;2026;Q3;12345678Z\nI\n10=210.00;20=0.00;25=0.00;30=210.00\n"
    assert submitted["file"] == {
        "name": "VT1-Q3.txt",
        "mediaType": "text/plain",
        "sha256": hashlib.sha256(file.content).hexdigest(),
    }
    assert "VT1-Q3.txt" in file.headers["content-disposition"]
    assert read["effectiveBoxes"]["30"] == 210
    assert [one["code"] for one in read["warnings"]] == ["submitted_differs"]
    assert read["pendingChanges"][-1] == {"box": "30", "before": 210, "after": 315}


async def test_what_is_submitted_changes_no_more(declarant):
    made = await declarant.generated()
    await declarant.submitted(made)
    path = f"{PATH}/{made['id']}"

    refusals = [
        await declarant.refused(400, "POST", f"{PATH}/generate", QUARTER),
        await declarant.refused(400, "PATCH", path, {"notes": "x"}),
        await declarant.refused(400, "PATCH", f"{path}/submit"),
        await declarant.refused(400, "DELETE", path),
    ]

    assert {one["code"] for one in refusals} == {"DECLARATION_SUBMITTED"}
    assert all("amends" in one["remedy"] for one in refusals)


async def test_each_datum_that_the_file_lacks_is_named(declarant):
    await declarant.sold(SOLD, "2026-07-10")
    made = await declarant.changed(await declarant.generated(), declarationType="U")

    refused = await declarant.refused(400, "GET", f"{PATH}/{made['id']}/file")
    await declarant.changed(made, iban="ES91 2100 0418 4502 0005 1332")

    assert refused["code"] == "DECLARATION_FILE_INCOMPLETE"
    assert [(one["field"], one["remedy"]) for one in refused["errors"]] == [("iban", "Send it with PATCH {iban}.")]
    submitted = await declarant.submitted(made)
    assert (submitted["declarationType"], submitted["file"]["name"]) == ("U", "VT1-Q3.txt")


async def test_an_incomplete_one_is_recorded_as_filed_without_a_file(declarant):
    await declarant.sold(SOLD, "2026-07-10")
    made = await declarant.changed(await declarant.generated(), declarationType="U")

    submitted = await declarant.submitted(made)
    refused = await declarant.refused(400, "GET", f"{PATH}/{made['id']}/file")

    assert (submitted["status"], submitted["file"]) == ("submitted", None)
    [warning] = submitted["warnings"]
    assert warning["code"] == "submitted_without_file"
    assert "iban the bank account is missing" in warning["message"]
    assert (await declarant.read(made))["warnings"] == [warning]
    assert refused["code"] == "DECLARATION_FILE_INCOMPLETE"
    assert [one["field"] for one in refused["errors"]] == ["iban"]


async def test_an_amendment_begins_where_the_last_one_is_submitted(declarant):
    first = await declarant.changed(await declarant.generated(), manualOverrides={"20": 7})
    await declarant.submitted(first)
    await declarant.sold(SOLD, "2026-07-10")
    amends = {"receiptNumber": "3032026000001", "reason": "R"}

    second = await declarant.generated(amends=amends)
    again = await declarant.generated()
    listed = await declarant.get(PATH)
    old = await declarant.read(first)

    assert second["id"] != first["id"]
    assert (second["complementaryOf"], second["amends"], second["status"]) == (first["id"], amends, "draft")
    assert (second["manualOverrides"], second["effectiveBoxes"]["30"]) == ({"20": 7}, 203)
    assert (again["id"], again["amends"]) == (second["id"], amends)
    assert [one["id"] for one in listed["declarations"]] == [second["id"], first["id"]]
    assert (old["warnings"], old["pendingChanges"]) == ([], [])


async def test_an_amendment_knows_what_was_filed_before_it_for_the_same_period(declarant):
    """Spain's box 70 is what the return that is rectified has paid: 21 % of 1,000, and then of 1,500."""
    spain = {"country": "ES", "form": "303"}
    await declarant.put(f"{PATH}/profile", {"activities": [{"kind": "A05", "iae": "844"}]})
    results = []
    for price, amends in ((1000, None), (500, "3032026000001"), (100, "3032026000002")):
        await declarant.sold(price, "2026-07-10")
        made = await declarant.generated(**spain, amends=amends and {"receiptNumber": amends})
        changed = await declarant.changed(made, notes="x")
        read = await declarant.read(made)
        await declarant.submitted(made)
        results.append([read["effectiveBoxes"][box] for box in ("69", "70", "71")])
        assert changed["effectiveBoxes"] == read["effectiveBoxes"]
        assert read["pendingChanges"] == []

    assert results == [[210, 0, 210], [315, 210, 105], [336, 315, 21]]


async def test_a_later_period_goes_on_from_the_one_before(declarant):
    second = await declarant.changed(await declarant.generated(period="Q2"), manualOverrides={"20": 80})

    third = await declarant.generated()
    await declarant.changed(second, declarationType="D")
    refunded = await declarant.generated()

    assert third["boxes"] == {"10": 0, "20": 0, "25": 80, "30": -80}
    assert refunded["boxes"]["25"] == 0


async def test_one_that_was_filed_elsewhere_is_typed_in(declarant):
    typed = {"country": "VT", "year": 2026, "period": "Q2", "boxes": {"30": -50.25}, "declarationType": "C"}

    first = await declarant.post(f"{PATH}/previous", {**typed, "boxes": {"30": -1}})
    answer = await declarant.post(f"{PATH}/previous", typed | {"submitted": "2026-07-15", "notes": "Otro programa"})
    third = await declarant.generated()

    made = answer["declaration"]
    assert made["id"] == first["declaration"]["id"]
    assert (made["origin"], made["status"], made["boxes"]) == ("external", "submitted", {"30": -50.25})
    assert made["submittedAt"].startswith("2026-07-15")
    assert third["boxes"]["25"] == 50.25
    problem = await declarant.refused(400, "POST", f"{PATH}/generate", QUARTER | {"period": "Q2"})
    assert problem["code"] == "DECLARATION_SUBMITTED"
    await declarant.refused(400, "GET", f"{PATH}/{made['id']}/file")
    assert (await declarant.read(made))["pendingChanges"] == []


async def test_one_that_was_computed_here_is_not_typed_in(declarant):
    made = await declarant.generated()
    typed = QUARTER | {"boxes": {"30": 1}}

    problem = await declarant.refused(409, "POST", f"{PATH}/previous", typed)
    await declarant.delete(f"{PATH}/{made['id']}")
    await declarant.post(f"{PATH}/previous", typed)

    assert problem["code"] == "DECLARATION_EXISTS"


async def test_one_that_was_typed_in_by_mistake_is_deleted_unless_it_is_amended(declarant):
    typed = await declarant.post(f"{PATH}/previous", QUARTER | {"boxes": {}})
    amending = await declarant.generated(amends={"receiptNumber": "1"})
    path = f"{PATH}/{typed['declaration']['id']}"

    problem = await declarant.refused(400, "DELETE", path)
    await declarant.delete(f"{PATH}/{amending['id']}")
    await declarant.delete(path)

    assert "amends" in problem["detail"]
    await declarant.refused(404, "GET", path)


async def test_a_yearly_list_has_records_and_reads_another_form(declarant):
    invoices = [await declarant.sold(100, day) for day in ("2026-02-01", "2026-07-10")]
    await declarant.changed(await declarant.generated(), manualOverrides={"30": 11})

    made = await declarant.generated(form="VT2", period="Y")

    ids = [one["id"] for one in invoices]
    fields = {"client": "Talleres Norte, S.L.", "amount": "242.00", "count": 2}
    assert made["records"] == [{"fields": fields, "documentIds": sorted(ids)}]
    assert made["effectiveBoxes"] == {"01": 1, "02": 242, "03": 11}
    assert (made["declarationTypes"], made["declarationType"]) == ({}, None)
    assert (await declarant.submitted(made))["file"]["name"] == "VT2-Y.txt"


async def test_evidence_names_each_document_and_adds_up(declarant):
    invoices = [await declarant.sold(price, f"2026-07-{day}") for price, day in ((100, 10), (200, 12), (300, 14))]
    made = await declarant.generated()
    path = f"{PATH}/{made['id']}/evidence"

    whole = await declarant.get(f"{path}?box=10")
    answer = await declarant.request("GET", f"{path}?box=10&page=2&limit=2")

    assert sum(one["amount"] for one in whole) == made["boxes"]["10"] == 126
    assert [one["documentId"] for one in whole] == [one["id"] for one in invoices]
    assert whole[0] == {
        "documentId": invoices[0]["id"],
        "origin": "invoice",
        "number": invoices[0]["number"],
        "date": "2026-07-10",
        "party": "Talleres Norte, S.L.",
        "partyTaxId": "B12345674",
        "amount": 21,
    }
    assert ([one["amount"] for one in answer.json()], answer.headers["x-total-count"]) == ([63], "3")
    assert await declarant.get(f"{path}?box=30") == []
    unknown = await declarant.refused(400, "GET", f"{path}?box=99")
    assert unknown["errors"][0]["field"] == "box"


async def test_lists_are_filtered_and_the_latest_come_first(declarant):
    for fields in ({"period": "Q1"}, {"period": "Q2"}, {"year": 2025}, {"form": "VT2", "period": "Y"}):
        made = await declarant.generated(**fields)
    await declarant.submitted(made)

    async def names(query: str = "") -> list[str]:
        found = await declarant.get(f"{PATH}?{query}")
        assert all(one.keys().isdisjoint({"evidence", "records"}) for one in found["declarations"])
        return [f"{one['year']} {one['period']}" for one in found["declarations"]]

    assert await names() == ["2026 Y", "2026 Q2", "2026 Q1", "2025 Q3"]
    assert await names("year=2026&form=vt1") == ["2026 Q2", "2026 Q1"]
    assert await names("status=submitted&country=VT") == ["2026 Y"]
    assert await names("period=Q3") == ["2025 Q3"]
    assert await names("year=2024") == []
    assert await names("page=2&limit=3") == ["2025 Q3"]
    answer = await declarant.request("GET", f"{PATH}?limit=1")
    assert (answer.headers["x-total-count"], 'rel="next"' in answer.headers["link"]) == ("4", True)


async def test_what_is_supported_follows_from_the_countries_installed(declarant, countries):
    answer = await declarant.get(f"{PATH}/supported")

    with_forms = {code: one.declarations for code, one in countries.countries.items() if one.declarations}
    assert answer["countries"] == sorted(with_forms)
    assert [(one["country"], one["form"]) for one in answer["forms"]] == [
        (code, form.code) for code in sorted(with_forms) for form in with_forms[code]
    ]
    own = [one for one in answer["forms"] if one["country"] == "VT"]
    assert [(one["form"], one["name"], one["periods"]) for one in own] == [
        ("VT1", "Quarterly tax", ["Q1", "Q2", "Q3", "Q4"]),
        ("VT2", "Yearly list of clients", ["Y"]),
    ]


async def test_the_first_form_of_the_country_is_the_usual_one(declarant):
    assert (await declarant.generated())["form"] == tiny_country.country.declarations[0].code
    assert (await declarant.generated(form="vt1", country="vt", period="q3"))["form"] == "VT1"


async def test_the_log_tells_who_did_what(declarant):
    made = await declarant.generated()
    await declarant.changed(made, manualOverrides={"20": 1.5})
    await declarant.changed(made, notes="x")
    await declarant.submitted(made)

    feed = await declarant.get("/api/invoices/activity/feed")

    told = [(one["action"], one["entityLabel"]) for one in feed if one["entityType"] == "tax_declaration"]
    assert told == [(action, "VT1 2026 Q3") for action in ("submitted", "updated", "updated", "generated")]
    assert feed[2]["changes"] == {"manualOverrides": {"from": {}, "to": {"20": 1.5}}, "result": {"from": 0, "to": -1.5}}


async def test_a_request_that_is_repeated_with_its_key_is_done_once(declarant):
    key = {"Idempotency-Key": "once"}
    first = await declarant.request("POST", f"{PATH}/generate", QUARTER, **key)
    await declarant.sold(SOLD, "2026-07-10")
    second = await declarant.request("POST", f"{PATH}/generate", QUARTER, **key)

    assert second.json() == first.json()
    assert second.headers["idempotent-replayed"] == "true"


@pytest.mark.parametrize("path", ["", "/submit"])
async def test_a_version_that_was_overtaken_is_refused(declarant, path):
    made = await declarant.generated()
    seen = (await declarant.request("GET", f"{PATH}/{made['id']}")).headers["etag"]
    await declarant.changed(made, notes="x")
    body = {"notes": "y"} if not path else None

    problem = await declarant.refused(412, "PATCH", f"{PATH}/{made['id']}{path}", body, **{"If-Match": seen})
    now = (await declarant.request("GET", f"{PATH}/{made['id']}")).headers["etag"]
    answer = await declarant.request("PATCH", f"{PATH}/{made['id']}{path}", body, **{"If-Match": now})

    assert problem["code"] == "VERSION_MISMATCH"
    assert answer.status_code == 200


async def test_of_two_simultaneous_changes_of_one_version_the_second_is_refused(declarant):
    made = await declarant.generated()
    path = f"{PATH}/{made['id']}"
    version = (await declarant.request("GET", path)).headers["etag"]

    answers = await asyncio.gather(
        *(declarant.request("PATCH", path, {"notes": notes}, **{"If-Match": version}) for notes in "ab")
    )

    assert sorted(answer.status_code for answer in answers) == [200, 412]
