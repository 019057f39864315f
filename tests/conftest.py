"""Options of the test run, and the loading of the fixtures that all tests use."""

import gc
import os
from pathlib import Path

import pytest

from support.index import Index
from support.ordering import WAITING_FOLDERS, spread
from support.sampling import Extent

INDEX = pytest.StashKey[Index]()

BEGUN_FIRST = tuple(Path(__file__).parent / folder for folder in WAITING_FOLDERS)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole", action="store_true", help="run every case of the long series (`make test-all`)")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Two processes more than there are cores: with one more, the tests used 76 % of two of them.

    One process alone for tests that are chosen by name: a second one takes longer to start than most of them.
    """
    return 0 if config.getoption("keyword") else _cores() + 2


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pytest_configure(config: pytest.Config) -> None:
    """Load the fixtures, and with them the application, in the processes that run tests and in no other."""
    gc.disable()
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
    """Put those first that wait, and note which tests there are before some are chosen.

    One worker notes for all, and only where files are whole.
    """
    if not Extent.whole:
        _leave_out(config, items)
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    items[:] = spread(items, workers, lambda item: item.path, _waits)
    is_first = getattr(config, "workerinput", {"workerid": "gw0"})["workerid"] == "gw0"
    if INDEX in config.stash and is_first and not any("::" in argument for argument in config.args):
        config.stash[INDEX].update(items)
        config.cache.set(_index_key(), config.stash[INDEX].entries)


def _leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that only `make test-all` runs, unless they are named."""
    left_out = [item for item in items if item.get_closest_marker("whole") and not _is_named(config, item)]
    items[:] = [item for item in items if item not in set(left_out)]
    config.hook.pytest_deselected(items=left_out)


def _is_named(config: pytest.Config, item: pytest.Item) -> bool:
    return any(item.path.name in argument for argument in config.args)


def _waits(file: Path) -> bool:
    return any(file.is_relative_to(folder) for folder in BEGUN_FIRST)


def pytest_collection_finish() -> None:
    """Collect garbage from here on, and never look at what has been imported: that took a second of each process."""
    gc.freeze()
    gc.enable()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Note how a run ended, for the second tries of CI (`support.repeating`)."""
    if hasattr(session.config, "cache") and not hasattr(session.config, "workerinput"):
        session.config.cache.set("ledgerkit/ended", int(exitstatus))


def _index_key() -> str:
    """Sampled cases are fewer, and so are their names."""
    return f"ledgerkit/names-{'whole' if Extent.whole else 'sampled'}"
