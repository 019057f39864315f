"""Knowledge about a directory in which no server runs."""

import os

import pytest

from ledgerkit.embedded_postgres import has_cluster, lends_account


@pytest.mark.whole
def test_a_directory_has_a_cluster_once_a_server_was_started_there(tmp_path, used_directory):
    assert not has_cluster(tmp_path / "never")
    assert has_cluster(used_directory)


def test_an_account_is_lent_where_the_cluster_is_another_users(tmp_path, monkeypatch):
    assert not lends_account(tmp_path)
    (tmp_path / "cluster").mkdir()
    assert not lends_account(tmp_path)

    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)

    assert lends_account(tmp_path)
