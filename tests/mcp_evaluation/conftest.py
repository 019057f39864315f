"""A server for assistants without AI actions left, and the table that `make eval-mcp` prints."""

from collections.abc import AsyncIterator

import pytest
from scores import Scores

from ledgerkit.settings import Settings
from mcp_server.conftest import Site, served
from support.modelserver import ModelServer, model_server
from support.office import cloned

SCORES = pytest.StashKey[Scores]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SCORES] = Scores()


@pytest.fixture(scope="session")
def scores(pytestconfig) -> Scores:
    return pytestconfig.stash[SCORES]


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    scores = config.stash.get(SCORES, Scores())
    if scores.rows or scores.performed or scores.goals or scores.goals_skipped:
        terminalreporter.section("evaluation of MCP")
        for line in scores.lines():
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
async def site_url(postgres) -> AsyncIterator[str]:
    """Address of the application's database."""
    async with cloned(postgres) as url:
        yield url


@pytest.fixture(scope="session")
async def site(site_url, cheap_passwords, tmp_path_factory) -> AsyncIterator[Site]:
    """The application as an operator runs it, with a model that nobody has actions left for."""
    settings = Settings(
        _env_file=None,
        data_dir=tmp_path_factory.mktemp("mcp_evaluation"),
        database_url=site_url,
        rate_limit="off",
        secret_key="a secret of the tests, forty characters long",
        ai_base_url="http://127.0.0.1:9/v1",
        ai_model="seer",
        ai_monthly_actions=0,
    )
    async with served(settings, cheap_passwords) as running:
        yield running


@pytest.fixture
async def reader() -> AsyncIterator[ModelServer]:
    async with model_server() as server:
        yield server


@pytest.fixture
async def reading_site(postgres, cheap_passwords, tmp_path, reader) -> AsyncIterator[Site]:
    """The application with a model that reads pictures."""
    async with cloned(postgres) as url:
        settings = Settings(
            _env_file=None,
            data_dir=tmp_path,
            database_url=url,
            rate_limit="off",
            secret_key="a secret of the tests, forty characters long",
            ai_base_url=reader.url,
            ai_monthly_actions=20,
        )
        async with served(settings, cheap_passwords) as running:
            yield running
