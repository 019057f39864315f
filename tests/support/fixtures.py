"""One PostgreSQL, one connection and one application a worker process; each test is rolled back."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import httpx2
import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck
from hypothesis import settings as examples
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncConnection

from ledgerkit.app import create_app
from ledgerkit.core.messaging.messengers.bots import Bots
from ledgerkit.core.operation.personal_data.export.directory import ExportDirectory
from ledgerkit.core.platform.activity.queries import ActivityEntries
from ledgerkit.core.platform.ai.model import ModelClient
from ledgerkit.core.platform.api_types.list_pages import PageCache
from ledgerkit.core.platform.approvals.agreements.desk import Approvals
from ledgerkit.core.platform.attachments.store.current import Stores
from ledgerkit.core.platform.confined.calls import ConfinedCalls
from ledgerkit.core.platform.database import own_account
from ledgerkit.core.platform.database.readiness import Life
from ledgerkit.core.platform.database.row_types import ACCOUNT_SETTING
from ledgerkit.core.platform.database.statements import driver
from ledgerkit.core.platform.database.transactions import Database, Pooling
from ledgerkit.core.platform.identity.limits.throttle import Throttle
from ledgerkit.core.platform.identity.logins.authentication import Authenticator
from ledgerkit.core.platform.identity.logins.tokens import Tokens
from ledgerkit.core.platform.identity.persons.passwords import Passwords
from ledgerkit.core.platform.mail import Mailer
from ledgerkit.core.platform.oauth.client_documents.cache import ClientDocuments
from ledgerkit.core.platform.request.clock_watch import ClockWatch
from ledgerkit.core.platform.request.context import Kernel
from ledgerkit.core.platform.request.presence import Presence
from ledgerkit.core.platform.request.previews import WriteLog
from ledgerkit.core.platform.request.proposals import ApprovalDesk
from ledgerkit.core.purchases.reading.ocr.recogniser import Recogniser
from ledgerkit.core.sales.invoices.pdf import PdfPrinter, PrintLimits
from ledgerkit.embedded_postgres import EmbeddedPostgres, Urls
from ledgerkit.embedded_postgres.cluster import APPLICATION
from ledgerkit.providers.es.sandbox import VerifactuSandbox, sandbox
from ledgerkit.providers.registry import Registry, discover
from ledgerkit.settings import Settings
from support import tiny_country
from support.accounts import Accounts
from support.api import Api
from support.database import on_database
from support.directories import open_directory
from support.documents import documents
from support.letters import Mailbox
from support.migrated_cluster import TEMPLATE, Shared, cache_of, migrated_server
from support.sandboxes import certified, certify

# A busy machine is no failure, and a landing meets the same examples at each try; elsewhere they are drawn anew.
examples.register_profile(
    "steady", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
examples.load_profile("steady")

BASE = "http://127.0.0.1:8000"
NO_WEB_APP = Path("/nonexistent")
"""Folder of a web app that is not built: what most tests see does not depend on whether it is."""


class PinnedDatabase(Database):
    """The real database, its transactions being savepoints of one that is rolled back after the test.

    Its one session is the owner's, so that a test may look past the wall; each transaction takes the application's
    role, which the product's own sessions have by logging in.
    """

    def __init__(self, url: str, connection: AsyncConnection) -> None:
        super().__init__(url, Pooling(size=1))
        self.pinned = connection
        self._order = asyncio.Lock()

    @asynccontextmanager
    async def test(self) -> AsyncIterator[None]:
        """The transaction of one test."""
        self._order = asyncio.Lock()  # a task of an earlier test may have the other one
        await driver(self.pinned).execute("begin; savepoint test")
        try:
            yield
            await driver(self.pinned).execute("release savepoint test")  # fails where somebody swallowed an error of it
        finally:
            await driver(self.pinned).execute("rollback")

    @asynccontextmanager
    async def undone(self) -> AsyncIterator[None]:
        """Take back all rows that are written within."""
        await driver(self.pinned).execute("savepoint undone; savepoint test")
        try:
            yield
            await driver(self.pinned).execute("release savepoint test")
        finally:
            await driver(self.pinned).execute("rollback to savepoint undone; release savepoint undone")

    @asynccontextmanager
    async def transaction(self, account_id):
        """One round trip before the work and none after it: the savepoint is released when the next one is made."""
        async with self._order:
            raw, account = driver(self.pinned), "" if account_id is None else account_id
            await raw.execute(
                f"release savepoint test; savepoint test; set local role {APPLICATION};"
                f" set local {ACCOUNT_SETTING} = '{account}'"
            )
            own_account.bind(self.pinned, account_id)
            try:
                yield self.pinned
            except BaseException:
                await raw.execute("rollback to savepoint test")
                raise

    @asynccontextmanager
    async def reading(self, account_id):
        async with self.transaction(account_id) as connection:
            yield connection

    @asynccontextmanager
    async def asking(self):
        async with self.transaction(None) as connection:
            yield connection


@pytest.fixture
def open_tmp() -> Iterator[Path]:
    """A directory like `tmp_path` that every account can enter."""
    with open_directory() as directory:
        yield directory


@pytest.fixture(scope="session")
def cluster_cache(request) -> Path:
    return cache_of(request.config)


@pytest.fixture(scope="session")
async def postgres(cluster_cache) -> AsyncIterator[EmbeddedPostgres]:
    """The server that all workers share; one of its own where there is one process."""
    if Shared.server is not None:
        yield Shared.server
        return
    async with migrated_server(cluster_cache) as server:
        yield server


@pytest.fixture(scope="session")
async def database_url(postgres) -> str:
    """A migrated database for the tests that are rolled back, as its owner."""
    name = f"rolled_back_{os.getpid()}"
    await postgres.clone(TEMPLATE, name)
    return postgres.url(name)


@pytest.fixture(scope="session")
def countries() -> Registry:
    """The installed countries, and a tiny one that has tax forms of its own."""
    return Registry({**discover().countries, tiny_country.country.code: tiny_country.country})


@pytest.fixture(scope="session")
def cheap_passwords() -> Passwords:
    """Argon2 at its cheapest: what is tested is never its price."""
    return Passwords(PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),)))


@pytest.fixture(scope="session")
def usual_settings() -> Settings:
    """As an operator would have them; made once, because that takes longer than most requests."""
    return Settings(_env_file=None, rate_limit="off", secret_key="a secret of the tests, forty characters long")


@pytest.fixture
def settings(usual_settings, tmp_path) -> Settings:
    """Settings with a directory of the test's own."""
    return usual_settings.model_copy(update={"data_dir": tmp_path})


@pytest.fixture(scope="session")
async def connection(database_url) -> AsyncIterator[AsyncConnection]:
    """The one session that all tests which are rolled back work in."""
    pool = Database(database_url, Pooling(size=1))
    async with pool.engine.connect() as connection:
        yield connection
    await pool.close()


@pytest.fixture(scope="session")
def pinned_database(database_url, connection) -> PinnedDatabase:
    return PinnedDatabase(database_url, connection)


@pytest.fixture
async def database(pinned_database) -> AsyncIterator[Database]:
    """The worker's database as it was migrated, and is again after the test."""
    async with pinned_database.test():
        yield pinned_database


@pytest.fixture(scope="session")
async def pdf_printer(tmp_path_factory) -> AsyncIterator[PdfPrinter]:
    """One for all tests: its process needs a second before it prints the first page."""
    printer = PdfPrinter(tmp_path_factory.mktemp("pdf"), limits=PrintLimits(light_seconds=60, seconds=60))
    yield printer
    await printer.stop()


@pytest.fixture(scope="session")
async def recogniser() -> AsyncIterator[Recogniser]:
    """One for all tests: its process needs seconds to load its models, and starts with the first page."""
    recogniser = Recogniser()
    yield recogniser
    await recogniser.stop()


@pytest.fixture(scope="session")
def processes(pdf_printer, recogniser) -> dict[type, object]:
    """Services whose processes serve all tests."""
    return {PdfPrinter: pdf_printer, Recogniser: recogniser}


@pytest.fixture(scope="module")
async def authority(tmp_path_factory) -> AsyncIterator[VerifactuSandbox]:
    """A sandbox of Spain's authority, for a module's tests."""
    made = sandbox(certified(tmp_path_factory.mktemp("sandbox")))
    await made.start()
    yield made
    await made.stop()


@pytest.fixture
async def kernel(settings, database, countries, cheap_passwords, processes) -> AsyncIterator[Kernel]:
    """Everything but what sends, works or listens in the background."""
    secret = settings.secret_key.get_secret_value().encode()
    services = {
        Presence: Presence("postgresql://nowhere"),
        ClockWatch: ClockWatch(database),
        Tokens: Tokens(secret),
        Passwords: cheap_passwords,
        Throttle: Throttle(active=settings.rate_limit == "on"),
        PageCache: PageCache(),
        Mailer: Mailer(settings),
        ConfinedCalls: ConfinedCalls(),
        ModelClient: ModelClient(settings),
        ClientDocuments: documents(),
        Stores: Stores(settings),
        ExportDirectory: ExportDirectory(settings),
        WriteLog: ActivityEntries(),
        ApprovalDesk: Approvals(),
        Life: Life(None, settings),
        Bots: Bots(settings.model_copy(update={"telegram_token": SecretStr("1:a token of the tests")})),
        **processes,
    }
    made = Kernel(settings=settings, secret=secret, database=database, countries=countries, services=services)
    services[Authenticator] = Authenticator(made)
    yield made
    await services[Authenticator].stop()
    await services[ConfinedCalls].stop()
    await services[ModelClient].stop()
    await services[ClientDocuments].stop()
    await services[Bots].stop()


def configuration(settings: Settings) -> str:
    """Text of all settings except the data directory; equal for equal configurations."""
    return repr(settings.model_dump(exclude={"data_dir"}))


class Noting:
    """Settings, and what of them has been read."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.read: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        self.read[name] = getattr(self._settings, name)
        return self.read[name]


@pytest.fixture(scope="session")
def app_for() -> Callable[[Settings], FastAPI]:
    """An application for these settings; one serves all tests that agree in what it reads when it is made.

    FastAPI builds a route when it is first asked for it: with an application for each test that took longer than
    all the rest. What a request reads is its kernel's.
    """
    apps: list[tuple[Noting, FastAPI]] = []

    def app(settings: Settings) -> FastAPI:
        for noted, made in apps:
            if all(getattr(settings, name) == value for name, value in noted.read.items()):
                return made
        noting = Noting(settings)
        apps.append((noting, create_app(cast("Settings", noting), web_directory=NO_WEB_APP)))
        return apps[-1][1]

    return app


@pytest.fixture
def client(app_for, kernel) -> httpx2.AsyncClient:
    """A caller of the REST interface without credentials, in process, rolled back; it holds nothing to be closed."""
    app = app_for(kernel.settings)
    app.state.kernel = kernel
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app, raise_app_exceptions=False), base_url=BASE)


@pytest.fixture(scope="session")
def accounts() -> Accounts:
    return Accounts()


@pytest.fixture
async def ana(accounts, settings, client) -> Api:
    """A freelancer with a team and a tax id."""
    return await accounts.registered(client, configuration(settings), "ana@example.com", "Ana Ruiz", "12345678Z")


@pytest.fixture
async def unreported(ana):
    """E-invoicing is off: what ana issues gets no fiscal record, and can be changed and deleted."""
    ana.team = (await ana.put("/api/teams/current", {"einvoicing": "off"}))["team"]


@pytest.fixture
async def berta(accounts, settings, client) -> Api:
    """Somebody else, with a team of her own."""
    return await accounts.registered(client, configuration(settings), "berta@example.com", "Berta Gil", "87654321X")


@pytest.fixture
def mailbox(settings: Settings) -> Mailbox:
    """Mails of the server of `client`."""
    return Mailbox(settings.data_dir / "mail")


@pytest.fixture
async def fresh_urls(postgres) -> AsyncIterator[Urls]:
    """A migrated database of the test's own, in which everything is really committed."""
    name = f"committed_{uuid4().hex}"
    await postgres.clone(TEMPLATE, name)
    yield postgres.urls(name)
    await postgres.drop_database(name)


@pytest.fixture
def fresh_url(fresh_urls) -> str:
    """Address of the fresh database, as the server works on it."""
    return fresh_urls.app


@pytest.fixture
def live_settings(settings, fresh_urls) -> Settings:
    return on_database(settings, fresh_urls)


@pytest.fixture
async def live(live_settings, cheap_passwords) -> AsyncIterator[httpx2.AsyncClient]:
    """The whole application with sender, worker and sandbox, on a database in which everything is committed."""
    async with running(live_settings, cheap_passwords) as caller:
        yield caller


@asynccontextmanager
async def running(settings: Settings, passwords: Passwords) -> AsyncIterator[httpx2.AsyncClient]:
    certify(settings)
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        app.state.kernel = _with_passwords(app.state.kernel, passwords)
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url=BASE) as caller:
            caller.kernel = app.state.kernel
            yield caller


def _with_passwords(kernel: Kernel, passwords: Passwords) -> Kernel:
    return replace(kernel, services={**kernel.services, Passwords: passwords})


@pytest.fixture(scope="session")
def reference_material() -> Path | None:
    """The reference material beside the project, where it is there."""
    folder = Path(__file__).parents[2].parent / "shared"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def shared(reference_material) -> Path:
    """Folder of the reference material; its tests are skipped, visibly, where it is absent."""
    if reference_material is None:
        pytest.skip("the reference material (../shared) is not here")
    return reference_material


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that look for the reference material, by a fixture or in their file."""
    if "reference_material" in getattr(item, "fixturenames", ()) or _looks_beside(item.path):
        item.add_marker("reference")


@cache
def _looks_beside(path: Path) -> bool:
    return '/ "shared"' in path.read_text()
