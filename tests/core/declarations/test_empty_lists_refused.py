"""Lists of Spain without a record are not filed, so they are not recorded as filed."""

import pytest

from support.declarations import PATH


@pytest.mark.parametrize(
    ("form", "period"), [("349", "Q1"), ("347", "Y"), ("180", "Y"), ("190", "Y")], ids=["349", "347", "180", "190"]
)
async def test_a_list_without_records_stays_a_draft(declarant, form, period):
    """RIVA art. 78-80 (349); RD 1065/2007 art. 33 (347); RIRPF art. 108.2 (180, 190)."""
    draft = await declarant.generated(country="ES", form=form, year=2025, period=period)
    path = f"{PATH}/{draft['id']}"

    problem = await declarant.refused(400, "PATCH", f"{path}/submit")

    assert problem["detail"].startswith("There is nothing to declare")
    assert form in problem["detail"]
    assert problem["remedy"].startswith("File nothing")
    assert (await declarant.get(path))["declaration"]["status"] == "draft"
