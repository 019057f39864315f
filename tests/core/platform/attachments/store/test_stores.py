"""The store in a directory and the one in a bucket keep the same promises; what only one of them has comes after."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from ledgerkit import clock
from ledgerkit.core.platform.attachments.store.contents import (
    ContentAddress,
    ContentMissingError,
    LocalStore,
    Store,
    StoredContent,
    StoreUnreachableError,
)
from ledgerkit.core.platform.attachments.store.current import Stores
from ledgerkit.settings import Settings
from ledgerkit.settings.values import UnfitValueError
from support.bucket import bucket
from support.disks import clear, fill, small_disk
from support.files import PDF, PNG, URL, digest, file_body

ANA, BERTA = uuid4(), uuid4()
LARGE = os.urandom(3 << 20)


def at(content: bytes, account: UUID = ANA) -> ContentAddress:
    return ContentAddress(account, digest(content))


async def whole(store: Store, address: ContentAddress) -> bytes:
    return b"".join([piece async for piece in await store.read(address)])


async def holds(store: Store, address: ContentAddress) -> bool:
    return address.sha256 in {content.sha256 for content in await store.contents(address.account_id)}


def in_bucket(monkeypatch, server) -> Store:
    for name, value in {
        "AWS_ENDPOINT_URL": server.endpoint,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "word",
        "AWS_REGION": "eu-south-2",
    }.items():
        monkeypatch.setenv(name, value)
    return Stores(Settings(_env_file=None, attachments_url="s3://shop/files")).store


@pytest.fixture(params=["directory", "memory", "bucket"])
async def store(request, tmp_path, monkeypatch) -> AsyncIterator[Store]:
    if request.param == "directory":
        yield LocalStore(tmp_path / "attachments")
        return
    pytest.importorskip("obstore", reason="the extra s3 is not installed")
    from obstore.store import MemoryStore  # noqa: PLC0415 - an extra

    from ledgerkit.core.platform.attachments.store.bucket import ObjectStore  # noqa: PLC0415 - an extra

    if request.param == "memory":
        yield ObjectStore(MemoryStore())
        return
    with bucket() as server:
        yield in_bucket(monkeypatch, server)


@pytest.mark.parametrize("content", [PDF, LARGE], ids=["small", "large"])
async def test_a_content_comes_back_whole(store, content):
    await store.put(at(content), content)
    await store.put(at(content), content)

    assert await holds(store, at(content))
    assert await whole(store, at(content)) == content


async def test_accounts_do_not_share_a_content(store):
    await store.put(at(PDF), PDF)

    assert not await holds(store, at(PDF, BERTA))
    with pytest.raises(ContentMissingError):
        await store.read(at(PDF, BERTA))
    assert await store.contents(BERTA) == []


async def test_all_contents_of_an_account_are_listed_with_their_time(store):
    before = clock.now() - timedelta(seconds=2)
    for account, content in ((ANA, PDF), (ANA, PNG), (BERTA, PNG)):
        await store.put(at(content, account), content)

    contents = await store.contents(ANA)

    assert {one.sha256 for one in contents} == {digest(PDF), digest(PNG)}
    assert all(isinstance(one, StoredContent) and one.written_at > before for one in contents)


async def test_a_content_is_removed_once_and_again(store):
    await store.put(at(PDF), PDF)

    await store.remove(at(PDF))
    await store.remove(at(PDF))

    assert not await holds(store, at(PDF))


async def test_many_write_the_same_content_at_once(store):
    await asyncio.gather(*(store.put(at(LARGE), LARGE) for _ in range(6)))

    assert await whole(store, at(LARGE)) == LARGE
    assert [one.sha256 for one in await store.contents(ANA)] == [digest(LARGE)]


async def test_files_and_folders_are_the_servers_alone(tmp_path):
    root = tmp_path / "attachments"
    await LocalStore(root).put(at(PDF), PDF)

    modes = {stat.S_IMODE(path.stat().st_mode) for path in [root, *root.rglob("*")] if path.is_dir()}
    [file] = [path for path in root.rglob("*") if path.is_file()]

    assert (modes, stat.S_IMODE(file.stat().st_mode)) == ({0o700}, 0o600)


WRITER = """
import asyncio, os, sys
from pathlib import Path
from uuid import UUID
from hashlib import sha256
from ledgerkit.core.platform.attachments.store.contents import ContentAddress, LocalStore
store = LocalStore(Path(sys.argv[1]))
print("ready", flush=True)
while True:
    content = os.urandom(2 << 20)
    asyncio.run(store.put(ContentAddress(UUID(int=1), sha256(content).hexdigest()), content))
"""


def whole_files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file() and path.suffix != ".tmp"]


@pytest.mark.whole
def test_a_process_that_is_killed_leaves_no_half_file(tmp_path):
    root = tmp_path / "attachments"
    for pause in (0.02, 0.05, 0.11):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(root)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout.readline() == b"ready\n"
            already = len(whole_files(root))
            while len(whole_files(root)) == already:
                assert writer.poll() is None
            time.sleep(pause)
            writer.send_signal(signal.SIGKILL)

    whole_ones = whole_files(root)
    assert all(digest(path.read_bytes()) == path.name for path in whole_ones)


async def test_a_full_disk_is_507_and_leaves_nothing(ana, kernel):
    (kernel.settings.data_dir).mkdir(exist_ok=True)
    with small_disk(kernel.settings.data_dir / "attachments", 1) as disk:
        fill(disk)
        problem = await ana.refused(507, "POST", URL, file_body(PNG))
        left = [path for path in disk.rglob("*") if path.is_file() and path.name != "filler"]
        clear(disk)
        saved = await ana.request("POST", URL, file_body(PNG))

    assert (problem["code"], left, saved.status_code) == ("STORAGE_FULL", [], 201)


async def test_a_bucket_that_does_not_work_is_a_503(ana, kernel, monkeypatch):
    pytest.importorskip("obstore", reason="the extra s3 is not installed")
    with bucket() as server:
        stored = in_bucket(monkeypatch, server)
        monkeypatch.setattr(kernel.service(Stores), "store", stored)
        kept = await ana.post(URL, file_body(PDF))
        server.broken = True
        with pytest.raises(StoreUnreachableError):
            await stored.read(at(PDF))
        with pytest.raises(StoreUnreachableError):  # and not an empty list, by which rows would be without contents
            await stored.contents(ANA)
        refused = await ana.refused(503, "POST", URL, file_body(PNG))
        unread = await ana.refused(503, "GET", kept["url"])

    assert list(server.objects) == [f"files/{UUID(ana.team['id']).hex}/{digest(PDF)[:2]}/{digest(PDF)}"]
    assert (refused["code"], unread["code"]) == ("STORE_UNREACHABLE", "STORE_UNREACHABLE")


@pytest.mark.parametrize("url", ["https://example.com/x", "s3://", "s3://UPPER", "s3://a b"])
def test_an_address_that_names_no_bucket_is_refused_at_the_start(url):
    with pytest.raises(ValueError, match="s3://bucket") as caught:
        Settings(_env_file=None, attachments_url=url)

    assert isinstance(caught.value.errors()[0]["ctx"]["error"], UnfitValueError)


def test_the_store_is_in_the_data_directory_by_default(tmp_path):
    assert isinstance(Stores(Settings(_env_file=None, data_dir=Path(tmp_path))).store, LocalStore)
