"""A backup holds the content of every attachment that its rows name, also of those that came while it was written."""

from zipfile import ZipFile

import httpx2
import pytest

from ledgerkit.app import create_app
from ledgerkit.commands.backups import backed_up, restored
from ledgerkit.core.operation.backup.archive import writer
from ledgerkit.settings import Settings
from support.api import PASSWORD, Api
from support.files import PDF, PNG, content_of, digest, uploaded
from support.office import BASE

pytestmark = pytest.mark.whole


def installation(directory, urls) -> Settings:
    return Settings(_env_file=None, data_dir=directory, rate_limit="off", database_url=urls.owner)


@pytest.fixture
def data(tmp_path, fresh_urls) -> Settings:
    return installation(tmp_path / "data", fresh_urls)


async def test_files_and_rows_fit_together_after_a_restoration(data, tmp_path, monkeypatch):
    put_database = writer._put_database
    app = create_app(data)
    file = tmp_path / "backup.zip"
    async with app.router.lifespan_context(app):  # noqa: SIM117 - the client needs the running application
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=BASE) as client:
            ana = await Api.register(client, "ana@example.com")
            early = await uploaded(ana, PDF)
            late = []

            async def with_an_upload_before(*arguments):
                late.append(await uploaded(ana, PNG))
                return await put_database(*arguments)

            monkeypatch.setattr(writer, "_put_database", with_an_upload_before)
            await backed_up(data, file)
            lost = [await uploaded(ana, PNG + b"later")]

    for path in (data.data_dir / "attachments").rglob("*"):
        if path.is_file():
            path.unlink()
    await restored(data, file, replaces=True)
    app = create_app(data)
    async with app.router.lifespan_context(app):  # noqa: SIM117 - the client needs the running application
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=BASE) as client:
            ana = Api(client, {}, "ana@example.com")
            await ana.log_in(PASSWORD)
            contents = [await content_of(ana, one) for one in (early, *late)]
            await ana.refused(404, "GET", lost[0]["url"])

    assert contents == [PDF, PNG]
    with ZipFile(file) as archive:
        stored = {name.rpartition("/")[2] for name in archive.namelist() if "/attachments/" in name}
    assert stored == {digest(PDF), digest(PNG)}
