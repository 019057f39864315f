"""Messengers are found by their entry points; a broken one is left out."""

from importlib.metadata import EntryPoint

import structlog

from ledgerkit.core.messaging.messengers.installed import GROUP, discover, installed
from ledgerkit.core.messaging.messengers.messenger import MessengerPlugin
from ledgerkit.core.messaging.messengers.telegram import adapter

TELEGRAM = EntryPoint("telegram", "ledgerkit.core.messaging.messengers.telegram.adapter:PLUGIN", GROUP)
TWICE = EntryPoint("zz", "ledgerkit.core.messaging.messengers.telegram.adapter:PLUGIN", GROUP)
ABSENT = EntryPoint("absent", "no_such_distribution:PLUGIN", GROUP)
ANOTHER_THING = EntryPoint("thing", "ledgerkit.core.messaging.messengers.telegram.adapter:create", GROUP)
NAMELESS = EntryPoint("nameless", f"{__name__}:NAMELESS_PLUGIN", GROUP)

NAMELESS_PLUGIN = MessengerPlugin(name="No Name", title="x", create=lambda _settings: None)


def test_telegram_is_installed():
    assert installed()["telegram"] is adapter.PLUGIN


def test_the_messengers_are_looked_for_once():
    assert installed() is installed()


def test_a_broken_messenger_is_left_out_with_a_warning():
    with structlog.testing.capture_logs() as lines:
        found = discover([TELEGRAM, ABSENT, ANOTHER_THING, NAMELESS])

    assert dict(found) == {"telegram": adapter.PLUGIN}
    assert {(line["log_level"], line["event"], line["entry_point"], line["reason"]) for line in lines} == {
        (
            "warning",
            "messenger left out",
            ABSENT.value,
            "its import failed: ModuleNotFoundError: No module named 'no_such_distribution'",
        ),
        ("warning", "messenger left out", ANOTHER_THING.value, "it is a function and no MessengerPlugin"),
        ("warning", "messenger left out", NAMELESS.value, "its name 'No Name' is no lower-case word"),
    }


def test_of_two_with_one_name_the_first_stays():
    with structlog.testing.capture_logs() as lines:
        found = discover([TWICE, TELEGRAM])

    assert list(found) == ["telegram"]
    assert [(line["entry_point"], line["reason"]) for line in lines] == [
        (TWICE.value, "there is another messenger named telegram")
    ]
