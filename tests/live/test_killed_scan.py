"""A server that is killed while a model reads a receipt: the action comes back, and nothing is charged."""

import asyncio

import asyncpg
import httpx2
import pytest

from support.api import Api
from support.modelserver import HANGS, model_server, reads
from support.office import cloned, eventually
from support.pictures import data_url, png
from support.serving import Server, served

SCAN = "/api/expenses/scan-receipt"
FREE = 25


def caller(server: Server) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=server.url, timeout=60)


async def left(api: Api) -> int:
    return int((await api.get("/auth/me"))["tokens"]["total"])


async def reservations_expire(url: str) -> None:
    """Let ten minutes pass for the reservations and the jobs that look after them."""
    connection = await asyncpg.connect(url)
    await connection.execute("update ai_action set expires_at = expires_at - interval '11 minutes'")
    await connection.execute("update job set due_at = now()")
    await connection.close()


@pytest.mark.whole
async def test_an_action_of_a_killed_server_comes_back(postgres, tmp_path):
    async with cloned(postgres) as url, model_server() as model:
        model.says(HANGS)
        plain = url.replace("+asyncpg", "")
        settings = {"DATABASE_URL": plain, "AI_BASE_URL": model.url}
        async with served(tmp_path / "data", **settings) as server, caller(server) as client:
            ana = await Api.with_team(client, "ana@example.com", "Ana Ruiz", "12345678Z")
            scanning = asyncio.create_task(ana.request("POST", SCAN, {"image": data_url(png())}))
            await eventually(lambda: asyncio.sleep(0, model.requests))
            reserved = await left(ana)
            await server.kill()
            with pytest.raises(httpx2.TransportError):
                await scanning

        await reservations_expire(plain)
        model.says(reads({"total": 12.1}))
        async with served(tmp_path / "data", **settings) as server, caller(server) as client:
            ana.client = client
            await eventually(lambda: is_whole(ana))
            await ana.post(SCAN, {"image": data_url(png())})
            usage = await ana.get("/api/ai/usage")

    assert reserved == FREE - 1
    assert usage["balance"]["total"] == FREE - 1
    assert sorted(action["status"] for action in usage["actions"]) == ["charged", "released"]


async def is_whole(api: Api) -> bool:
    return await left(api) == FREE
