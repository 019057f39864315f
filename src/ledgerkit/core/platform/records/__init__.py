"""Records of an account: added, fetched, changed; found by their words; counted."""

from ledgerkit.core.platform.records.rows import (
    ValueBeforeLock,
    add,
    add_all,
    add_many,
    add_unless_there,
    change,
    change_many,
    fetch,
    fetch_locked,
    fetch_pair_locked,
    is_named,
    repoint,
)

__all__ = [
    "ValueBeforeLock",
    "add",
    "add_all",
    "add_many",
    "add_unless_there",
    "change",
    "change_many",
    "fetch",
    "fetch_locked",
    "fetch_pair_locked",
    "is_named",
    "repoint",
]
