"""Contents go with their last row, after the commit, and not before the day that the law names."""

import asyncio
from datetime import UTC, datetime, timedelta
from os import utime
from uuid import UUID

import pytest
import time_machine
from sqlalchemy import text

from ledgerkit import clock
from ledgerkit.core.operation.installation.server.scheduled_jobs import all_jobs
from ledgerkit.core.platform.attachments.removal import contents as removal
from ledgerkit.core.platform.attachments.store.contents import ContentAddress
from ledgerkit.core.platform.attachments.store.current import store_of
from support.api import PASSWORD, Api
from support.database import as_owner
from support.files import JPEG, PDF, PNG, URL, content_of, digest, expense, of, stored, uploaded
from support.work import worked_off


async def task(api):
    return await api.post("/api/tasks", {"title": "Archivar"})


async def rows(kernel) -> list:
    async with as_owner(kernel) as connection:
        query = text("select id::text, sha256, kept_until, deleted_at from attachment order by id")
        return list(await connection.execute(query))


async def used(kernel) -> int:
    async with as_owner(kernel) as connection:
        return int((await connection.execute(text("select sum(bytes) from attachment_usage"))).scalar_one())


def aged(kernel, days: int = 2) -> None:
    """Let every file of the store be of some days ago."""
    moment = (clock.now() - timedelta(days=days)).timestamp()
    for path in (kernel.settings.data_dir / "attachments").rglob("*"):
        utime(path, (moment, moment))


async def test_a_content_goes_with_the_last_row_that_names_it(ana, kernel):
    first, second = [await uploaded(ana, **of("task", await task(ana))) for _ in range(2)]

    await ana.delete(f"{URL}/{first['id']}")
    await worked_off(kernel)
    assert await content_of(ana, second) == PDF
    await ana.delete(f"{URL}/{second['id']}")
    assert stored(kernel) == {digest(PDF): PDF}  # until the job, after the commit
    await worked_off(kernel)

    assert (stored(kernel), await rows(kernel), await used(kernel)) == ({}, [], 0)


async def test_files_of_a_deleted_task_and_draft_go(ana, kernel):
    doomed, draft = await task(ana), await ana.invoice()
    await uploaded(ana, PDF, **of("task", doomed))
    await uploaded(ana, PNG, **of("invoice", draft))

    await ana.delete(f"/api/tasks/{doomed['id']}")
    await ana.delete(f"/api/invoices/{draft['id']}")
    await worked_off(kernel)

    assert (stored(kernel), await rows(kernel)) == ({}, [])


@pytest.mark.parametrize("by_its_expense", [True, False])
async def test_a_receipt_is_kept_for_six_years_after_its_year(ana, kernel, by_its_expense):
    bought = await expense(ana)
    receipt = await uploaded(ana, **of("expense", bought))

    await ana.delete(f"/api/expenses/{bought['id']}" if by_its_expense else f"{URL}/{receipt['id']}")
    await worked_off(kernel)
    aged(kernel)
    with time_machine.travel(datetime(2032, 12, 31, 12, tzinfo=UTC), tick=False):
        await removal.sweep(kernel)
    before_its_day = stored(kernel)
    [row] = await rows(kernel)
    with time_machine.travel(datetime(2033, 1, 1, 12, tzinfo=UTC), tick=False):
        await removal.sweep(kernel)

    await ana.refused(404, "GET", receipt["url"])
    assert before_its_day == {digest(PDF): PDF}
    assert (str(row.kept_until), row.deleted_at is None) == ("2032-12-31", False)
    assert (stored(kernel), await rows(kernel), await used(kernel)) == ({}, [], 0)


async def test_the_latest_day_of_an_entry_decides(ana, kernel):
    bought = await expense(ana, date="2025-12-30", receptionDate="2026-01-10")
    await uploaded(ana, **of("expense", bought))

    await ana.delete(f"/api/expenses/{bought['id']}")

    [row] = await rows(kernel)
    assert str(row.kept_until) == "2032-12-31"


async def test_what_is_never_attached_goes_after_a_day(ana, kernel):
    loose, kept = await uploaded(ana, PDF), await uploaded(ana, PNG, **of("task", await task(ana)))

    aged(kernel)
    await removal.sweep(kernel)
    early = await rows(kernel)
    with time_machine.travel(clock.now() + timedelta(hours=25), tick=False):
        await removal.sweep(kernel)

    assert len(early) == 2
    assert [row.id for row in await rows(kernel)] == [kept["id"]]
    assert stored(kernel) == {digest(PNG): PNG}
    assert loose["id"] != kept["id"]


async def test_the_sweep_takes_what_a_crash_left_but_nothing_of_today(ana, kernel):
    kept = await uploaded(ana, PNG, **of("task", await task(ana)))
    account = UUID(ana.team["id"])
    await store_of(kernel).put(ContentAddress(account, digest(PDF)), PDF)
    folder = (kernel.settings.data_dir / "attachments" / ContentAddress(account, digest(PDF)).path).parent
    (folder / ".half.tmp").write_bytes(b"%PDF")

    await removal.sweep(kernel)
    today = set(stored(kernel))
    aged(kernel)
    await removal.sweep(kernel)

    assert today == {digest(PDF), digest(PNG), ".half.tmp"}
    assert stored(kernel) == {digest(PNG): PNG}
    assert await content_of(ana, kept) == PNG


async def test_a_content_that_is_lost_is_a_404_and_can_be_uploaded_again(ana, kernel):
    lost = await uploaded(ana, PNG, **of("task", await task(ana)))
    await store_of(kernel).remove(ContentAddress(UUID(ana.team["id"]), digest(PNG)))

    problem = await ana.refused(404, "GET", lost["url"])
    await removal.sweep(kernel)  # logs it
    await uploaded(ana, PNG)

    assert problem["code"] == "NOT_FOUND"
    assert await content_of(ana, lost) == PNG


async def test_a_removal_that_comes_late_looks_again(ana, kernel):
    first = await uploaded(ana)
    await ana.delete(f"{URL}/{first['id']}")
    second = await uploaded(ana)

    await worked_off(kernel)
    await worked_off(kernel)

    assert await content_of(ana, second) == PDF


async def test_the_rounds_and_jobs_of_attachments_are_those_of_the_worker(kernel):
    jobs = all_jobs(kernel)

    assert removal.REMOVE in jobs.handlers
    assert "sweep-attachments" in jobs.handlers


async def test_a_closed_account_without_books_leaves_no_file(ana, berta, kernel):
    await uploaded(ana, PDF)
    hers = await uploaded(berta, JPEG)

    await ana.request("DELETE", "/auth/me", {"password": PASSWORD})
    await worked_off(kernel)

    assert stored(kernel) == {digest(JPEG): JPEG}
    assert await content_of(berta, hers) == JPEG


async def test_a_closed_account_with_books_keeps_what_belongs_to_them(ana, kernel):
    await uploaded(ana, PDF, **of("expense", await expense(ana)))
    await uploaded(ana, PNG, **of("task", await task(ana)))
    await uploaded(ana, JPEG)

    await ana.request("DELETE", "/auth/me", {"password": PASSWORD})
    await worked_off(kernel)

    assert stored(kernel) == {digest(PDF): PDF}


@pytest.mark.whole
async def test_parallel_uploads_and_removals_of_one_content_leave_no_row_without_it(live):
    ana = await Api.with_team(live, "ana@example.com", "Ana Ruiz", "12345678Z")
    documents = [of("task", await task(ana)) for _ in range(8)]

    async def back_and_forth(document) -> None:
        for _ in range(5):
            answer = await ana.request("POST", URL, {"content": "data:a/b;base64,JVBERi0xLjQKJSVFT0YK", **document})
            assert answer.status_code in {201, 503}, answer.text
            if answer.status_code == 201:
                await ana.delete(f"{URL}/{answer.json()['id']}")
        while (
            await ana.request("POST", URL, {"content": "data:a/b;base64,JVBERi0xLjQKJSVFT0YK", **document})
        ).is_error:
            pass

    await asyncio.gather(*map(back_and_forth, documents))

    for document in documents:
        [only] = await ana.get(f"{URL}?documentType=task&documentId={document['documentId']}")
        assert await content_of(ana, only) == PDF
