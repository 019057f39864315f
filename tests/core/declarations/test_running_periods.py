"""A period that has not ended: its declaration says so before it is locked, and is locked all the same."""

from support.declarations import PATH


def warned(declaration):
    return [one["message"] for one in declaration["warnings"] if one["code"] == "period_running"]


async def test_a_draft_of_a_running_period_says_until_when_it_runs(declarant):
    made = await declarant.generated(year=2099)
    [listed] = (await declarant.get(PATH))["declarations"]

    [message] = warned(made)
    assert "2099-09-30" in message
    assert warned(made) == warned(await declarant.read(made)) == warned(listed)


async def test_a_period_that_has_ended_is_not_warned_of(declarant):
    assert warned(await declarant.generated(year=2025)) == []


async def test_it_is_submitted_all_the_same_and_goes_on_saying_so(declarant):
    submitted = await declarant.submitted(await declarant.generated(year=2099))

    assert submitted["status"] == "submitted"
    assert len(warned(submitted)) == 1


async def test_a_declaration_typed_in_is_not_warned_of(declarant):
    answer = await declarant.post(f"{PATH}/previous", {"country": "VT", "year": 2099, "period": "Q1", "boxes": {}})

    assert warned(answer["declaration"]) == []
