"""Years whose official designs are not known: boxes by the nearest design, a warning, and no file."""

import pytest

from support.declarations import PATH

PERIODS = {"303": "Q1", "390": "Y", "130": "Q1", "111": "Q1", "115": "Q1", "180": "Y", "190": "Y", "347": "Y"}
YEARS = [2000, 2005, 2012, 2100]
SPANISH = {"Accept-Language": "es"}
YEARLY_VAT = {"country": "ES", "form": "390", "year": 2023, "period": "Y"}


def codes(declaration):
    return [one["code"] for one in declaration["warnings"]]


@pytest.mark.parametrize("form", [*PERIODS, "349"])
async def test_every_year_of_the_interface_is_computed(declarant, form):
    period = PERIODS.get(form, "Q1")

    for year in YEARS:
        made = await declarant.generated(country="ES", form=form, year=year, period=period)

        assert set(made["boxNames"]) == set(made["boxes"]) != set()
        assert (made["year"], made["status"]) == (year, "draft")
        assert year == YEARS[-1] or "layout_unknown" in codes(made)


async def test_a_year_with_a_design_is_not_warned_of(declarant):
    assert "layout_unknown" not in codes(await declarant.generated(**YEARLY_VAT | {"year": 2025}))


async def test_a_year_without_one_is_computed_from_its_documents(declarant):
    await declarant.spent(121, "2023-02-01", vendor="Muebles", vendorTaxId="B12345674", invoiceNumber="1")

    made = await declarant.generated(**YEARLY_VAT)
    spanish = (await declarant.request("GET", f"{PATH}/{made['id']}", **SPANISH)).json()["declaration"]

    assert (made["effectiveBoxes"]["605"], made["effectiveBoxes"]["606"]) == (100, 21)
    assert made["layoutVersion"] == "2024"
    words = {one["code"]: one["message"] for one in spanish["warnings"]}
    assert words["layout_unknown"].startswith("Aquí no se conoce el diseño oficial del modelo 390 de 2023")


async def test_it_has_no_file(declarant):
    made = await declarant.generated(**YEARLY_VAT)

    problem = await declarant.refused(400, "GET", f"{PATH}/{made['id']}/file", **SPANISH)

    assert problem["code"] == "DECLARATION_FILE_INCOMPLETE"
    assert [(one["field"], one["code"]) for one in problem["errors"]] == [("period", "DESIGN_UNKNOWN")]
    assert "diseño oficial del modelo 390 de 2023" in problem["errors"][0]["message"]
    assert "sede" in problem["remedy"]


async def test_the_calendar_of_a_year_whose_terms_are_not_known_is_empty(ana):
    assert await ana.get(f"{PATH}/calendar?country=ES&year=2005") == []
