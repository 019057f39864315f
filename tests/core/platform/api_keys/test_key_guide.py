"""docs/api-keys.md states what each scope covers, as the code does."""

import re
from pathlib import Path

from ledgerkit.core.platform.api_keys.operations import MOST_KEYS
from ledgerkit.core.platform.identity.limits.throttle import REQUESTS
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.core.platform.request.scopes import Scope, permissions_of

GUIDE = (Path(__file__).parents[4] / "docs" / "api-keys.md").read_text()


def test_the_table_of_scopes_is_what_the_code_says():
    rows = re.findall(r"^\| `([a-z]+)` \| [^|]+ \| ([^|]+) \|$", GUIDE, re.MULTILINE)

    assert {name: set(re.findall(r"`([^`]+)`", cell)) for name, cell in rows} == {
        scope.value: {permission.value for permission in scope.permissions} for scope in Scope
    }


def test_the_permissions_in_no_scope_are_named():
    (sentence,) = re.findall(r"^Two permissions are in no scope: (.+?)\. Both", GUIDE, re.MULTILINE | re.DOTALL)

    assert set(re.findall(r"`([^`]+)`", sentence)) == set(Permission) - permissions_of(Scope)


def test_limits_are_those_of_the_code():
    assert f"at most {MOST_KEYS} keys" in GUIDE
    assert f"{REQUESTS.amount} a minute" in GUIDE
