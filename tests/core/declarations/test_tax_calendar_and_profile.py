"""The account's tax profile, in its country's own model, and the calendar that follows from it."""

from datetime import UTC, datetime

import time_machine

from support.declarations import PATH

PROFILE, CALENDAR = f"{PATH}/profile?country=VT", f"{PATH}/calendar?country=VT"


async def test_a_profile_begins_with_the_defaults_of_the_country(ana):
    assert await ana.get(PROFILE) == {"exempt": False, "filesLists": True, "lastIncome": None}


async def test_a_change_keeps_what_it_leaves_out(ana):
    await ana.put(PROFILE, {"lastIncome": 12000.5})

    changed = await ana.put(PROFILE, {"filesLists": False})

    assert changed == await ana.get(PROFILE) == {"exempt": False, "filesLists": False, "lastIncome": 12000.5}


async def test_a_field_may_be_given_by_the_models_own_name(ana):
    await ana.put(PROFILE, {"filesLists": False})

    assert (await ana.put(PROFILE, {"files_lists": True}))["filesLists"] is True


async def test_what_the_country_does_not_ask_is_refused(ana):
    unknown = await ana.refused(400, "PUT", PROFILE, {"age": 40})
    wrong = await ana.refused(400, "PUT", PROFILE, {"exempt": "perhaps", "lastIncome": "much"})

    assert [one["field"] for one in unknown["errors"]] == ["age"]
    assert [one["field"] for one in wrong["errors"]] == ["exempt", "lastIncome"]


async def test_a_profile_that_was_overtaken_is_not_changed(ana):
    seen = (await ana.request("GET", PROFILE)).headers["etag"]
    await ana.put(PROFILE, {"exempt": True})

    problem = await ana.refused(412, "PUT", PROFILE, {"exempt": False}, **{"If-Match": seen})

    assert problem["code"] == "VERSION_MISMATCH"


async def test_profiles_are_each_accounts_own(ana, berta):
    await ana.put(PROFILE, {"exempt": True})

    assert (await berta.get(PROFILE))["exempt"] is False


async def test_the_calendar_lists_what_is_due_in_a_year_on_working_days(ana):
    due = await ana.get(f"{CALENDAR}&year=2026")

    assert [(one["form"], one["year"], one["period"], one["dueDate"]) for one in due] == [
        ("VT1", 2025, "Q4", "2026-01-20"),
        ("VT2", 2025, "Y", "2026-01-20"),
        ("VT1", 2026, "Q1", "2026-04-20"),
        ("VT1", 2026, "Q2", "2026-07-20"),
        ("VT1", 2026, "Q3", "2026-10-20"),
    ]
    assert {one["status"] for one in due} == {"missing"}


def periods(entries):
    return [(one["form"], one["year"], one["period"]) for one in entries]


async def test_without_a_year_the_next_days_are_listed_too_and_nothing_from_before_the_beginning(declarant):
    with time_machine.travel(datetime(2026, 11, 29, 12, tzinfo=UTC), tick=False):
        await declarant.spent(121, "2026-08-10", vendor="Sol")
        due = await declarant.get(CALENDAR)
        earlier = await declarant.generated(period="Q1", year=2026)
        with_earlier = await declarant.get(CALENDAR)

    assert periods(due) == [("VT1", 2026, "Q3"), ("VT1", 2026, "Q4"), ("VT2", 2026, "Y")]
    assert [one["dueDate"] for one in due] == ["2026-10-20", "2027-01-20", "2027-01-20"]
    assert periods(with_earlier) == [("VT1", 2026, "Q1"), *periods(due)]
    assert with_earlier[0]["declarationId"] == earlier["id"]
    assert ("VT1", 2026, "Q2") in periods(await declarant.get(f"{CALENDAR}&year=2026"))


async def test_what_is_due_after_ninety_days_is_not_listed_without_a_year(declarant):
    with time_machine.travel(datetime(2026, 9, 30, 12, tzinfo=UTC), tick=False):
        await declarant.spent(121, "2026-08-10", vendor="Sol")
        due = await declarant.get(CALENDAR)

    assert periods(due) == [("VT1", 2026, "Q3")]


async def test_without_documents_the_account_began_when_it_was_made_unless_its_profile_says_more(ana):
    made_on = ana.team["createdAt"][:10]
    year = made_on[:4]

    due = await ana.get(f"{PATH}/calendar?country=ES")
    assert [one for one in due if one["periodEnd"] < made_on] == []
    assert [one for one in await ana.get(f"{PATH}/calendar?country=ES&year={year}") if one["periodEnd"] < made_on] != []

    await ana.put(f"{PATH}/profile?country=ES", {"activities": [{"since": "2020-01-01"}]})

    assert [one for one in await ana.get(f"{PATH}/calendar?country=ES") if one["periodEnd"] < made_on] != []


async def test_the_calendar_follows_the_profile_and_what_was_done(declarant):
    made = await declarant.generated()
    await declarant.put(PROFILE, {"filesLists": False})
    draft = await declarant.get(f"{CALENDAR}&year=2026")
    await declarant.submitted(made)
    submitted = await declarant.get(f"{CALENDAR}&year=2026")
    await declarant.put(PROFILE, {"exempt": True})

    assert {one["form"] for one in draft} == {"VT1"}
    assert (draft[-1]["status"], draft[-1]["declarationId"]) == ("draft", made["id"])
    assert submitted[-1]["status"] == "submitted"
    assert await declarant.get(f"{CALENDAR}&year=2026") == []


async def test_a_profile_of_an_earlier_version_of_the_country_is_asked_for_again(declarant, kernel):
    made = await declarant.generated()
    await declarant.put(PROFILE, {"exempt": False})
    async with kernel.database.transaction(None) as connection:
        await connection.exec_driver_sql("reset role")
        await connection.exec_driver_sql("""update tax_profile set profile = '{"pets": 2}'""")

    problem = await declarant.refused(400, "GET", PROFILE)
    read = await declarant.read(made)

    assert "/api/tax-declarations/profile" in problem["remedy"]
    assert [one["code"] for one in read["warnings"]] == ["not_compared"]
