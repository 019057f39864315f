"""Options of the test run, and the loading of the fixtures that all tests use."""

from pathlib import Path

import pytest

from support.index import Index
from support.sampling import Extent

INDEX = pytest.StashKey[Index]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole", action="store_true", help="run every case of the long series (`make test-all`)")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One process for tests that are chosen by name: a second one takes longer to start than most of them."""
    return 0 if config.getoption("keyword") else None


def pytest_configure(config: pytest.Config) -> None:
    """Load the fixtures, and with them the application, in the processes that run tests and in no other."""
    Extent.whole = config.getoption("--whole")
    only_distributes = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if only_distributes:
        return
    config.pluginmanager.import_plugin("support.fixtures")
    if hasattr(config, "cache"):
        config.stash[INDEX] = Index(config.cache.get(_index_key(), {}), config.getoption("keyword"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if INDEX in config.stash and config.stash[INDEX].lacks_the_word(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Before tests are chosen, note which there are: one worker for all, and only where files are whole."""
    is_first = getattr(config, "workerinput", {"workerid": "gw0"})["workerid"] == "gw0"
    if INDEX in config.stash and is_first and not any("::" in argument for argument in config.args):
        config.stash[INDEX].update(items)
        config.cache.set(_index_key(), config.stash[INDEX].entries)


def _index_key() -> str:
    """Sampled cases are fewer, and so are their names."""
    return f"ledgerkit/names-{'whole' if Extent.whole else 'sampled'}"
