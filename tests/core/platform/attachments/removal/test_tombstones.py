"""Removing and adding the same content exclude each other, and the store is never asked within a transaction."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import text

from ledgerkit import clock
from ledgerkit.core.platform.attachments import operations as attachments
from ledgerkit.core.platform.attachments.removal import contents as removal
from ledgerkit.core.platform.attachments.store.contents import FOLDER, ContentAddress, LocalStore, StoreUnreachableError
from ledgerkit.core.platform.attachments.store.current import Stores
from ledgerkit.core.platform.attachments.uploads import contents
from ledgerkit.core.platform.attachments.uploads.contents import stage
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.jobs import Again
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Unavailable
from support.api import Api, kernel_of
from support.database import as_owner
from support.files import PDF, URL, content_of, digest, file_body, of, stored, uploaded
from support.office import eventually, until

OPEN = "select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'"


class WatchedStore(LocalStore):
    """The real store, which waits before it removes, or fails to; it notes whether a transaction waits for it.

    A transaction of who asks the store is open for as long as the store looks; one of a neighbour's ends by itself.
    """

    def __init__(self, kernel) -> None:
        super().__init__(kernel.settings.data_dir / FOLDER)
        self._kernel = kernel
        self.removing, self.may_remove, self.fails = asyncio.Event(), asyncio.Event(), False
        self.may_remove.set()
        self.held_open: list[bool] = []

    async def put(self, address, content) -> None:
        await self._look()
        await super().put(address, content)

    async def read(self, address) -> AsyncIterator[bytes]:
        await self._look()
        return await super().read(address)

    async def remove(self, address) -> None:
        await self._look()
        self.removing.set()
        await self.may_remove.wait()
        if self.fails:
            raise StoreUnreachableError
        await super().remove(address)

    async def _look(self) -> None:
        try:
            await eventually(self._no_transaction_is_open)
        except TimeoutError:
            self.held_open.append(True)
        else:
            self.held_open.append(False)

    async def _no_transaction_is_open(self) -> bool:
        async with as_owner(self._kernel) as connection:
            return int((await connection.execute(text(OPEN))).scalar_one()) == 0


@pytest.fixture
async def ana(live):
    return await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")


@pytest.fixture
def kernel(live):
    return kernel_of(live)


@pytest.fixture
def store(kernel, monkeypatch) -> WatchedStore:
    watched = WatchedStore(kernel)
    monkeypatch.setattr(kernel.service(Stores), "store", watched)
    return watched


@pytest.fixture
async def ctx(kernel, ana) -> Context:
    return Context(kernel=kernel, who=await kernel.service(Authenticator).by_key(ana.api_key))


def address_of(ctx) -> ContentAddress:
    return ContentAddress(ctx.account.id, digest(PDF))


def payload_of(ctx) -> dict[str, object]:
    return {"accountId": str(ctx.account.id), "sha256": digest(PDF)}


async def unnamed(ctx) -> None:
    """A content that no row names."""
    await stage(ctx, PDF)


async def as_of(kernel, column: str, age: timedelta) -> None:
    query = f"update attachment_removal set {column} = now() - cast(:age as interval)"  # noqa: S608 - a column of ours
    async with as_owner(kernel) as connection:
        await connection.execute(text(query), {"age": age})


async def removals(kernel) -> list:
    async with as_owner(kernel) as connection:
        return list(
            await connection.execute(text("select sha256, done_at is not null as done from attachment_removal"))
        )


async def test_an_upload_waits_for_the_removal_of_its_content(ana, kernel, store, ctx):
    await unnamed(ctx)
    store.may_remove.clear()
    removing = asyncio.create_task(removal.remove_content(kernel, payload_of(ctx)))
    await asyncio.wait_for(store.removing.wait(), 60)
    uploading = asyncio.create_task(uploaded(ana))
    await asyncio.sleep(0.2)
    assert not uploading.done()
    store.may_remove.set()
    await removing

    attachment = await uploading

    assert await content_of(ana, attachment) == PDF
    assert not any(store.held_open)


async def test_what_was_stored_before_a_removal_is_not_named_after_it(kernel, store, ctx):
    staged = await stage(ctx, PDF)
    await removal.remove_content(kernel, payload_of(ctx))

    with pytest.raises(Unavailable):
        await attachments.add(ctx, staged, "factura.pdf", None)

    assert stored(kernel) == {}
    added = await contents.stored(ctx, PDF, lambda inner, content: attachments.add(inner, content, "factura.pdf", None))
    assert (added.sha256, stored(kernel)) == (digest(PDF), {digest(PDF): PDF})


async def test_a_named_content_stays_and_can_be_added_meanwhile(ana, kernel, store, ctx):
    task = await ana.post("/api/tasks", {"title": "Archivar"})
    await uploaded(ana, **of("task", task))

    await removal.remove_content(kernel, payload_of(ctx))

    assert (stored(kernel), await removals(kernel)) == ({digest(PDF): PDF}, [])


@pytest.mark.whole
async def test_a_removal_that_died_stops_uploads_until_somebody_finishes_it(ana, kernel, store, ctx):
    await unnamed(ctx)
    store.fails = True
    with pytest.raises(StoreUnreachableError):
        await removal.remove_content(kernel, payload_of(ctx))
    store.fails = False

    refused = await ana.refused(503, "POST", URL, file_body())
    with pytest.raises(Again):
        await removal.remove_content(kernel, payload_of(ctx))
    await as_of(kernel, "begun_at", timedelta(minutes=11))
    attachment = await uploaded(ana)

    assert refused["code"] == "STORE_UNREACHABLE"
    assert await content_of(ana, attachment) == PDF
    assert [row.done for row in await removals(kernel)] == [True]


async def test_the_sweep_finishes_what_died_and_forgets_what_is_done(kernel, store, ctx):
    await unnamed(ctx)
    store.fails = True
    with pytest.raises(StoreUnreachableError):
        await removal.remove_content(kernel, payload_of(ctx))
    store.fails = False
    await as_of(kernel, "begun_at", timedelta(minutes=11))

    await removal.sweep(kernel)
    finished = await removals(kernel), stored(kernel)
    await as_of(kernel, "done_at", timedelta(hours=25))
    await removal.sweep(kernel)

    assert finished == ([(digest(PDF), True)], {})
    assert await removals(kernel) == []


async def test_two_removals_at_once_ask_the_store_once(kernel, store, ctx):
    await unnamed(ctx)
    store.may_remove.clear()
    first = asyncio.create_task(removal.remove_content(kernel, payload_of(ctx)))
    await asyncio.wait_for(store.removing.wait(), 60)
    store.removing.clear()

    with pytest.raises(Again):
        await removal.remove_content(kernel, payload_of(ctx))

    assert not store.removing.is_set()
    store.may_remove.set()
    await first
    assert stored(kernel) == {}


async def test_the_store_is_asked_outside_of_transactions(ana, kernel, store, ctx):
    attachment = await uploaded(ana)
    await content_of(ana, attachment)
    await ana.delete(f"{URL}/{attachment['id']}")
    await removal.remove_content(kernel, payload_of(ctx))
    await unnamed(ctx)
    await removal.remove_unnamed(kernel, UUID(str(ctx.account.id)), before=clock.now() + timedelta(minutes=1))

    # Where the worker is at it too, it removes the last one.
    await until(lambda: len(store.held_open) >= 5 and stored(kernel) == {})
    assert not any(store.held_open)
