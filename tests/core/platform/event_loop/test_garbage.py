"""Pauses of the garbage collector."""

import gc
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from ledgerkit.core.platform.event_loop import garbage
from ledgerkit.core.platform.event_loop.garbage import collection_paused


@pytest.fixture(autouse=True)
def collecting():
    before = gc.isenabled()
    gc.enable()
    yield
    if not before:
        gc.disable()


def test_nothing_is_collected_until_the_last_pause_has_ended():
    with collection_paused():
        with collection_paused():
            inside = gc.isenabled()
        between = gc.isenabled()

    assert (inside, between, gc.isenabled()) == (False, False, True)


def test_a_pause_ends_with_an_error():
    with pytest.raises(LookupError), collection_paused():
        raise LookupError

    assert gc.isenabled()


def test_pauses_of_several_threads_overlap():
    threads = 4
    begun, ended = Barrier(threads), Barrier(threads)

    def pause(_: int) -> bool:
        begun.wait(10)
        with collection_paused():
            ended.wait(10)
            return gc.isenabled()

    with ThreadPoolExecutor(threads) as pool:
        states = list(pool.map(pause, range(threads)))

    assert states == [False] * threads
    assert gc.isenabled()


def test_pauses_without_end_do_not_stop_the_collector_for_ever(monkeypatch):
    monkeypatch.setattr(garbage, "LONGEST", 0.0)

    with collection_paused():
        with collection_paused():
            inside = gc.isenabled()
        between = gc.isenabled()

    assert (inside, between) == (True, True)
