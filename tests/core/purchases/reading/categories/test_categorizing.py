"""Proposed categories through the interface: learned without a model, metered, never a failure (decisions D4)."""

import pytest

CATEGORIZE = "/api/expenses/categorize"


async def left(api):
    return (await api.get("/auth/me"))["tokens"]["total"]


async def spent(api, category, *words):
    for description in words:
        body = {"description": description, "amount": 10, "date": "2026-11-02", "category": category}
        await api.post("/api/expenses", {**body, "vendor": "Plumbago BV"})


async def test_words_of_the_country_propose_a_category_at_once(ana):
    answer = await ana.post(CATEGORIZE, {"description": "Gasóleo A", "vendor": "E.S. La Vega"})

    assert answer["category"] == "fuel"
    assert 0.5 < answer["confidence"] < 1
    assert answer["engine"] == "learned"


async def test_an_accounts_own_expenses_teach_it(ana, berta):
    await spent(ana, "hosting propio", *["Cuota mensual"] * 4)
    await spent(berta, "rent", *["Cuota mensual"] * 4)

    answer = await ana.post(CATEGORIZE, {"description": "Cuota mensual", "vendor": "PLUMBAGO BV"})

    assert answer["category"] == "hosting propio"


async def test_a_deleted_expense_teaches_nothing(ana):
    await spent(ana, "rent", "Cuota mensual")
    (expense,) = await ana.get("/api/expenses")
    await ana.delete(f"/api/expenses/{expense['id']}")

    answer = await ana.post(CATEGORIZE, {"description": "Cuota mensual", "vendor": "Plumbago BV"})

    assert (answer["category"], answer["confidence"] < 0.3) == ("other", True)


@pytest.mark.parametrize(
    "body",
    [{"description": "Menú del día"}, {"vendor": "Repsol"}, {"description": "ñ" * 5000}, {"vendor": "\u202e🍕"}],
)
async def test_one_of_both_is_enough_and_any_text_will_do(ana, body):
    answer = await ana.post(CATEGORIZE, body)

    assert 0 <= answer["confidence"] <= 1


@pytest.mark.parametrize("body", [{}, {"description": "", "vendor": "  "}])
async def test_without_words_there_is_nothing_to_propose_and_nothing_is_charged(ana, body):
    before = await left(ana)

    problem = await ana.refused(400, "POST", CATEGORIZE, body)

    assert [error["field"] for error in problem["errors"]] == ["description", "vendor"]
    assert await left(ana) == before


async def test_a_proposal_costs_one_action(ana):
    before = await left(ana)

    await ana.post(CATEGORIZE, {"vendor": "Repsol"})

    assert await left(ana) == before - 1


class TestWithoutActions:
    @pytest.fixture
    def settings(self, settings):
        return settings.model_copy(update={"ai_monthly_actions": 0})

    async def test_an_exhausted_balance_is_402_with_the_balance(self, ana):
        problem = await ana.refused(402, "POST", CATEGORIZE, {"vendor": "Repsol"})

        assert (problem["code"], problem["balance"]["total"]) == ("OUT_OF_TOKENS", 0)
        assert "topUpUrl" in problem
