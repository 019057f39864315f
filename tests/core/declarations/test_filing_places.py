"""Forms of accounts that are taxed in the Basque Country, Navarre, the Canary Islands, Ceuta and Melilla."""

import pytest

from support.declarations import PATH
from support.printed import texts

PROFILE = f"{PATH}/profile?country=ES"
FORMS = ("303", "390", "130", "111", "115", "180", "190", "347", "349")
YEARLY = {"390", "180", "190", "347"}
FORAL = dict.fromkeys(FORMS, "elsewhere") | {"111": "mostly_elsewhere", "190": "mostly_elsewhere"}
CANARIAN = {"303": "elsewhere", "390": "elsewhere", "349": "elsewhere", "347": "also_elsewhere"}
AFRICAN = {"303": "elsewhere", "390": "elsewhere", "349": "elsewhere"}
TERRITORIES = [
    # postal code, the authority's name, where each form is filed: here where it is not named
    ("01001", "Diputación Foral de Álava", FORAL),
    ("20001", "Diputación Foral de Gipuzkoa", FORAL),
    ("48001", "Diputación Foral de Bizkaia", FORAL),
    ("31001", "Hacienda Foral de Navarra", FORAL),
    ("35001", "Agencia Tributaria Canaria", CANARIAN),
    ("38001", "Agencia Tributaria Canaria", CANARIAN),
    ("51001", "Ciudad Autónoma de Ceuta", AFRICAN),
    ("52001", "Ciudad Autónoma de Melilla", AFRICAN),
]
RENT, FEE = ({"retentionRate": 15, "retentionKind": kind, "taxRate": 21} for kind in ("rent", "professional"))
FROM_GERMANY = {"intraEu": "services", "taxRate": 21, "vendor": "Berlin GmbH", "vendorCountry": "DE"}
SPANISH = {"Accept-Language": "es"}


def asked(form, **fields):
    return {"country": "ES", "form": form, "year": 2026, "period": "Y" if form in YEARLY else "Q3"} | fields


def warned(declaration):
    return {one["code"]: one["message"] for one in declaration["warnings"]}


def warned_of_place(declaration):
    return {code for code in warned(declaration) if code.startswith("fil")}


async def places(api, postal_code):
    await living(api, postal_code)
    supported = (await api.request("GET", f"{PATH}/supported", **SPANISH)).json()
    return {one["form"]: one["filing"] for one in supported["forms"] if one["country"] == "ES"}


async def living(api, postal_code):
    """Move the account, before anything is computed."""
    await api.put("/api/teams/current", {"postalCode": postal_code, "province": None})


@pytest.mark.parametrize(("postal_code", "authority", "filed"), TERRITORIES)
async def test_the_list_of_forms_says_who_takes_each(ana, postal_code, authority, filed):
    listed = await places(ana, postal_code)

    assert {form: said["place"] for form, said in listed.items() if said} == filed
    assert all(authority in said["message"] for said in listed.values() if said)
    assert all(said["remedy"] for said in listed.values() if said and said["place"] == "elsewhere")


@pytest.mark.parametrize(("postal_code", "authority", "filed"), TERRITORIES)
async def test_a_form_of_another_authority_is_refused_with_its_name(ana, postal_code, authority, filed):
    await living(ana, postal_code)

    for form in (form for form, place in filed.items() if place == "elsewhere"):
        problem = await ana.refused(400, "POST", f"{PATH}/generate", asked(form), **SPANISH)

        assert problem["code"] == "DECLARATION_ELSEWHERE"
        assert [(one["field"], one["code"]) for one in problem["errors"]] == [("form", "DECLARATION_ELSEWHERE")]
        assert authority in problem["detail"]
        assert "`territory`" in problem["remedy"]
    assert (await ana.get(f"{PATH}?country=ES"))["declarations"] == []


@pytest.mark.parametrize(("postal_code", "authority", "filed"), TERRITORIES)
async def test_what_may_be_due_here_is_computed_with_a_loud_warning(declarant, postal_code, authority, filed):
    await living(declarant, postal_code)

    for form in (form for form in FORMS if filed.get(form) != "elsewhere"):
        warnings = warned(await declarant.generated(**asked(form)))

        of_place = {code: message for code, message in warnings.items() if code.startswith("filed_")}
        assert set(of_place) == ({f"filed_{filed[form]}"} if form in filed else set())
        assert all(authority in message for message in of_place.values())


@pytest.mark.parametrize(("postal_code", "authority", "filed"), TERRITORIES)
async def test_the_calendar_lists_only_what_is_filed_here(ana, postal_code, authority, filed):
    await living(ana, postal_code)
    for fields in (RENT, FEE, FROM_GERMANY):
        await ana.post("/api/expenses", {"description": "x", "amount": 100, "date": "2025-11-02", **fields})

    due = {entry["form"] for entry in await ana.get(f"{PATH}/calendar?country=ES&year=2026")}

    taken = {form for form, place in filed.items() if place in {"elsewhere", "mostly_elsewhere"}}
    assert due == set(FORMS) - taken


@pytest.mark.parametrize(
    ("postal_code", "form", "own"),
    [
        ("48001", "303", "303"),
        ("31001", "303", "F-69"),
        ("35001", "303", "420"),
        ("38001", "390", "425"),
        ("35001", "347", "415"),
    ],
)
async def test_the_form_of_the_other_authority_is_named(ana, postal_code, form, own):
    assert f"modelo {own}" in (await places(ana, postal_code))[form]["message"]


async def test_who_is_above_12_million_is_told_of_the_shares(ana):
    said = (await places(ana, "48001"))["303"]

    assert "12 millones" in said["remedy"]
    assert "casilla 65" in said["remedy"]


@pytest.mark.parametrize(("postal_code", "quota"), [("28001", 200.0), ("51001", 80.0), ("52001", 80.0)])
async def test_the_130_of_ceuta_and_melilla_is_at_8_percent(declarant, postal_code, quota):
    """20 % less 60 % (RD 439/2007, art. 110.2): 8 % of 1,000.00."""
    await living(declarant, postal_code)
    await declarant.put(PROFILE, {"estimation": "normal", "lastYearNetIncome": 50000})
    await declarant.sold(1000, "2026-07-10")

    declaration = await declarant.generated(**asked("130"))

    assert declaration["effectiveBoxes"]["04"] == declaration["effectiveBoxes"]["19"] == quota
    assert ("income_forms.reduced_percent" in warned(declaration)) is (quota == 80)


async def test_a_profile_that_states_its_territory_is_not_locked_out_by_the_address(declarant):
    await living(declarant, "48001")
    stated = await declarant.put(PROFILE, {"territory": "common"})

    declaration = await declarant.generated(**asked("303"))

    assert stated["territory"] == "common"
    assert warned_of_place(declaration) == set()
    assert (await declarant.get(PROFILE))["territory"] == "common"


async def test_an_address_is_not_stored_as_if_the_profile_had_stated_it(ana):
    await living(ana, "48001")
    read = await ana.get(PROFILE)
    await ana.put(PROFILE, read)
    await living(ana, "28001")

    assert read["territory"] is None
    assert (await ana.post(f"{PATH}/generate", asked("303")))["declaration"]["status"] == "draft"


async def test_who_moved_files_earlier_periods_where_they_belong(ana):
    """Madrid until June, Bilbao since July: the second quarter is the State's, the third is not."""
    await living(ana, "48001")
    change = {"since": "2026-07-01", "territory": "bizkaia"}
    await ana.put(PROFILE, {"territory": "common", "censusChanges": [change]})

    earlier = await ana.post(f"{PATH}/generate", asked("303", period="Q2"))
    problem = await ana.refused(400, "POST", f"{PATH}/generate", asked("303"))
    due = await ana.get(f"{PATH}/calendar?country=ES&year=2026")

    assert earlier["declaration"]["status"] == "draft"
    assert problem["code"] == "DECLARATION_ELSEWHERE"
    assert {entry["period"] for entry in due if entry["form"] == "303"} == {"Q4", "Q1", "Q2"}


async def test_a_territory_that_there_is_not_is_refused(ana):
    problem = await ana.refused(400, "PUT", PROFILE, {"territory": "andorra"})

    assert [one["field"] for one in problem["errors"]] == ["territory"]


async def test_a_draft_of_before_the_move_warns_everywhere_and_is_not_filed(declarant):
    await living(declarant, "28001")
    draft = await declarant.generated(**asked("303"))
    path = f"{PATH}/{draft['id']}"

    await living(declarant, "31001")
    read = await declarant.read(draft)
    (listed,) = (await declarant.get(f"{PATH}?country=ES"))["declarations"]
    paper = "\n".join(texts((await declarant.request("GET", f"{path}/pdf?lang=es")).content))
    refusals = [
        await declarant.refused(400, method, path + rest, body)
        for method, rest, body in (("PATCH", "", {"notes": "x"}), ("PATCH", "/submit", None))
    ]

    assert "Hacienda Foral de Navarra" in warned(read)["filed_elsewhere"]
    assert "Hacienda Foral de Navarra" in warned(listed)["filed_elsewhere"]
    assert "Hacienda Foral de Navarra" in " ".join(paper.split())
    assert [one["code"] for one in refusals] == ["DECLARATION_ELSEWHERE"] * 2


async def test_what_was_filed_before_the_move_stays_as_it_is(declarant):
    await declarant.put("/api/teams/current", {"taxId": "12345678Z"})
    await living(declarant, "28001")
    filed = await declarant.submitted(await declarant.generated(**asked("303")))
    await living(declarant, "48001")

    assert filed["status"] == "submitted"
    assert warned_of_place(await declarant.read(filed)) == set()
    assert warned_of_place((await declarant.get(f"{PATH}?country=ES"))["declarations"][0]) == set()


async def test_an_address_without_a_province_is_told_and_not_refused(declarant):
    await living(declarant, None)

    declaration = await declarant.generated(**asked("303"))

    assert "territory" in warned(declaration)["filing_place_unknown"]
    assert (await declarant.get(f"{PATH}/calendar?country=ES&year=2026")) != []


async def test_the_address_of_one_account_says_nothing_about_another(ana, berta):
    await living(berta, "28001")
    await living(ana, "48001")

    assert (await places(berta, "28001"))["303"] is None
