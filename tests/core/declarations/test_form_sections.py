"""Sections of a declaration: the form's boxes as they stand on it."""

import pytest

PERIODS = {"303": "Q4", "130": "Q4", "111": "Q4", "115": "Q4", "390": "Y"}


@pytest.mark.parametrize("form", PERIODS)
async def test_sections_have_every_box_once_and_in_order(ana, form):
    generated = await ana.post(
        "/api/tax-declarations/generate", {"country": "ES", "year": 2025, "period": PERIODS[form], "form": form}
    )
    declaration = generated["declaration"]

    in_sections = [box for part in declaration["sections"] for line in part["lines"] for box in line["boxes"]]

    assert in_sections == list(declaration["boxNames"])
    assert declaration["formName"]


async def test_base_and_tax_stand_on_one_line(ana):
    generated = await ana.post("/api/tax-declarations/generate", {"country": "ES", "year": 2026, "period": "Q3"})
    sections = generated["declaration"]["sections"]

    assert [part["title"] for part in sections][:2] == ["VAT due", "Deductible VAT"]
    assert {"name": "VAT due at 21 %", "boxes": ["07", "09"]} in sections[0]["lines"]
    assert sections[0]["lines"][-1] == {"name": "Total VAT due", "boxes": ["27"]}
