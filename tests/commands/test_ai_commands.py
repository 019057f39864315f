"""`ledgerkit ai grant` and `test`, as an operator types them."""

import httpx2
import pytest

from support.api import Api
from support.commands import ledgerkit
from support.modelserver import fails, model_server, reads
from support.serving import served


@pytest.mark.whole
async def test_packs_are_granted_by_address_or_id_and_once_for_a_reference(tmp_path, fresh_urls):
    data, settings = tmp_path / "data", {"DATABASE_URL": fresh_urls.owner}
    async with served(data, **settings) as server, httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
        api = await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")
        by_address = await ledgerkit(
            data, "ai", "grant", "Ana@example.com", "10", "--reference", "invoice 7", **settings
        )
        again = await ledgerkit(data, "ai", "grant", "ana@example.com", "10", "--reference", "invoice 7", **settings)
        by_id = await ledgerkit(data, "ai", "grant", api.team["id"], "5", **settings)
        unknown = await ledgerkit(data, "ai", "grant", "nobody@example.com", "5", **settings)
        none = await ledgerkit(data, "ai", "grant", "ana@example.com", "0", **settings)
        tokens = (await api.get("/auth/me"))["tokens"]

    assert [answer.code for answer in (by_address, again, by_id, unknown, none)] == [0, 0, 0, 2, 2]
    assert "hold 10 now" in by_address.out
    assert "nothing was added" in again.out
    assert "hold 15 now" in by_id.out
    assert (unknown.out, unknown.err.count("\n")) == ("", 1)
    assert tokens["purchased"] == 15


@pytest.mark.whole
async def test_a_model_that_reads_the_picture_is_right(tmp_path):
    async with model_server() as model:
        model.says(reads({"total": 48.37}))
        answer = await ledgerkit(tmp_path / "data", "ai", "test", AI_BASE_URL=model.origin)

    assert answer.code == 0, answer.err
    assert "seer reads pictures" in answer.out


@pytest.mark.whole
@pytest.mark.parametrize(
    ("answer", "words"),
    [(reads({"total": 4.5}), "wrongly"), (fails(500), "does not work"), (fails(401), "LEDGERKIT_AI_API_KEY")],
)
async def test_a_model_that_does_not_is_not_right(tmp_path, answer, words):
    async with model_server() as model:
        model.says(answer)
        ended = await ledgerkit(tmp_path / "data", "ai", "test", AI_BASE_URL=model.url, AI_API_KEY="sk-secret")

    assert ended.code == 1
    assert words in ended.out + ended.err
    assert "secret" not in ended.out + ended.err


@pytest.mark.whole
async def test_without_a_model_the_recognition_is_tried(tmp_path):
    answer = await ledgerkit(tmp_path / "data", "ai", "test")

    assert answer.code == 0, answer.err
    assert "OCR is installed and reads" in answer.out
