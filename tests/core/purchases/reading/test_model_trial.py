"""The question to the model server: it reads, it does not see, it fails, it is not there; never charged."""

from ledgerkit.core.platform.ai.model.operations import AMOUNT
from support.modelserver import fails, reads

TRIAL = "/api/ai/test"


async def test_a_model_that_reads_pictures_passes(model, ana):
    model.says(reads({"total": str(AMOUNT)}))

    tried = await ana.post(TRIAL)

    assert (tried["ok"], tried["readsImages"], tried["problem"]) == (True, True, None)
    assert tried["model"] is not None
    assert (await ana.get("/api/ai/usage"))["actionCount"] == 0


async def test_a_model_that_sees_nothing_is_said_to_be_blind(model, ana):
    model.says(reads({"total": None}))

    tried = await ana.post(TRIAL)

    assert (tried["ok"], tried["readsImages"]) == (True, False)


async def test_a_failure_is_part_of_the_answer(model, ana):
    model.says(fails(401))

    tried = await ana.post(TRIAL)

    assert (tried["ok"], tried["readsImages"]) == (False, None)
    assert tried["problem"]["code"] == "AI_FAILED"
    assert tried["problem"]["remedy"]


async def test_without_a_model_server_the_answer_says_so(ana):
    tried = await ana.post(TRIAL)

    assert (tried["ok"], tried["model"], tried["problem"]["code"]) == (False, None, "AI_NOT_CONFIGURED")
