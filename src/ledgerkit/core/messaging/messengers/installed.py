"""Messengers that are installed: entry points of the group `ledgerkit.messengers`."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

import structlog

from ledgerkit.core.messaging.messengers.messenger import MessengerPlugin

GROUP = "ledgerkit.messengers"

log = structlog.get_logger()

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")


class _UnusableError(Exception):
    """Explain to the operator why an entry point gives no messenger."""


@cache
def installed() -> Mapping[str, MessengerPlugin]:
    """Return the installed messengers by name; they are looked for once in a process."""
    return discover(entry_points(group=GROUP))


def discover(entries: Iterable[EntryPoint]) -> Mapping[str, MessengerPlugin]:
    """Load the messengers. One that cannot be used is left out, with a warning, and never prevents the start.

    Of two with the same name the first by distribution name wins, on every start alike.
    """
    messengers: dict[str, MessengerPlugin] = {}
    for entry in sorted(entries, key=_by_distribution):
        try:
            plugin = _loaded(entry, messengers)
        except _UnusableError as problem:
            distribution = _distribution(entry)
            log.warning("messenger left out", distribution=distribution, entry_point=entry.value, reason=str(problem))
        else:
            messengers[plugin.name] = plugin
    return MappingProxyType(messengers)


def _loaded(entry: EntryPoint, others: Mapping[str, MessengerPlugin]) -> MessengerPlugin:
    try:
        plugin = entry.load()
    except (Exception, SystemExit) as failure:
        raise _UnusableError(f"its import failed: {type(failure).__name__}: {failure}") from failure
    if not isinstance(plugin, MessengerPlugin):
        raise _UnusableError(f"it is a {type(plugin).__name__} and no MessengerPlugin")
    if not _NAME.fullmatch(plugin.name):
        raise _UnusableError(f"its name {plugin.name!r} is no lower-case word")
    if plugin.name in others:
        raise _UnusableError(f"there is another messenger named {plugin.name}")
    return plugin


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "(unknown distribution)"


def _by_distribution(entry: EntryPoint) -> tuple[str, str, str]:
    return _distribution(entry).lower(), entry.name, entry.value
