"""Options of the test run, the loading of the fixtures that all tests use, and the workers."""

import gc
import signal
from itertools import groupby
from pathlib import Path

import pytest

from support import workers
from support.index import Index
from support.sampling import SERIES, Extent, sampled
from support.waiting import WAITING_FOLDERS

INDEX = pytest.StashKey[Index]()

HERE = Path(__file__).parent

OF_THE_SOURCES = {f"test_{name}.py" for name in ("architecture", "documents", "repository", "texts", "words")}
"""Files of tests that read the sources: `make check` names them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--whole", action="store_true", help="run every case of the long series (`make test-all`)")
    parser.addoption("--workers", type=int, default=0, help="processes for tests that wait, beside one for each core")


def pytest_configure(config: pytest.Config) -> None:
    """Load the fixtures, and with them the application."""
    gc.disable()
    Extent.whole = config.getoption("--whole") or all(".py" in argument for argument in config.args)
    config.pluginmanager.import_plugin("support.fixtures")
    if hasattr(config, "cache"):
        config.stash[INDEX] = Index(config.cache.get(_index_key(), {}), config.getoption("keyword"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if INDEX in config.stash and config.stash[INDEX].lacks_the_word(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note which tests there are before some are chosen, and only where files are whole."""
    _leave_out(config, items)
    if INDEX in config.stash and not any("::" in argument for argument in config.args):
        config.stash[INDEX].update(items)
        config.cache.set(_index_key(), config.stash[INDEX].entries)


def _leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what others run, unless its file is named.

    `make check` runs the tests of the sources; `make test-all` those marked `whole`, and all cases of long series.
    """
    unnamed = [item for item in items if not any(item.path.name in argument for argument in config.args)]
    left_out = {item for item in unnamed if item.path.relative_to(HERE).as_posix() in OF_THE_SOURCES}
    if not Extent.whole:
        left_out |= {item for item in unnamed if item.get_closest_marker("whole")}
        for _, cases in groupby((item for item in unnamed if item not in left_out), key=_series):
            left_out |= _beyond_the_sample(list(cases))
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=list(left_out))


def _series(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _beyond_the_sample(cases: list[pytest.Item]) -> set[pytest.Item]:
    """The cases of one test that are not run."""
    if len(cases) < SERIES:
        return set()
    drawn = set(sampled([case.nodeid for case in cases]))
    return {case for case in cases if case.nodeid not in drawn}


def pytest_collection_finish() -> None:
    """Collect garbage from here on, seldom, and never look at what has been imported: a second of each process.

    A signal handler that is not Python's own is left alone by `asyncio.Runner`. Else it would be put back and set again
    for every fixture, and the value of each fixture written out as text on the way.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests of several files by workers; those of one file, or without `--workers`, in this process."""
    config = session.config
    several = len({item.path for item in session.items}) > 1
    if not several or not config.getoption("--workers") or config.option.collectonly or session.testsfailed:
        return None
    workers.run(session, config.getoption("--workers"), [HERE / folder for folder in WAITING_FOLDERS])
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)
    return True


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Note how a run ended, for the second tries of CI (`support.repeating`)."""
    if hasattr(session.config, "cache"):
        session.config.cache.set("ledgerkit/ended", int(exitstatus))


def _index_key() -> str:
    """Sampled cases are fewer, and so are their names."""
    return f"ledgerkit/names-{'whole' if Extent.whole else 'sampled'}"
