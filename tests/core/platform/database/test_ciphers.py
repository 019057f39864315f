from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from ledgerkit.core.platform.database.ciphers import closed, opened

SECRET, ACCOUNT = b"a secret of the tests, forty characters long", uuid4()


@given(content=st.binary(max_size=300))
def test_encrypted_content_is_decrypted(content):
    stored = closed(SECRET, "test", ACCOUNT, content)

    assert opened(SECRET, "test", ACCOUNT, stored) == content


def test_nothing_can_be_read_in_what_is_stored_nor_told_from_its_like():
    first, second = (closed(SECRET, "test", ACCOUNT, b"-----BEGIN PRIVATE KEY-----") for _ in range(2))

    assert b"PRIVATE" not in first
    assert first != second


def test_only_the_same_secret_purpose_and_account_open_it():
    stored = closed(SECRET, "test", ACCOUNT, b"key")

    assert opened(b"another secret of at least 32 characters", "test", ACCOUNT, stored) is None
    assert opened(SECRET, "other", ACCOUNT, stored) is None
    assert opened(SECRET, "test", uuid4(), stored) is None
    assert opened(SECRET, "test", ACCOUNT, b"") is None


def test_a_changed_byte_opens_nothing():
    stored = closed(SECRET, "test", ACCOUNT, b"key")

    for place in range(len(stored)):
        changed = stored[:place] + bytes([stored[place] ^ 1]) + stored[place + 1 :]
        assert opened(SECRET, "test", ACCOUNT, changed) is None
