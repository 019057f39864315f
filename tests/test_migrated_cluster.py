"""The cluster that workers copy is made anew whenever what it is made of has changed."""

import shutil

import pytest

from support import migrated_cluster
from support.migrated_cluster import current_state


@pytest.fixture
def migrations(tmp_path, monkeypatch):
    """A copy of the migrations, in the place of the real ones."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrated_cluster.scripts(), folder)
    monkeypatch.setattr(migrated_cluster, "scripts", lambda: folder)
    return folder / "versions"


def test_the_state_is_that_of_the_contents_wherever_they_lie(request):
    before = current_state()
    request.getfixturevalue("migrations")

    assert current_state() == before


def test_another_migration_or_a_changed_one_is_another_state(migrations):
    before = current_state()
    first = min(migrations.glob("*.py"))

    first.write_text(first.read_text() + "\n")
    changed = current_state()
    (migrations / "9999_another.py").write_text("")

    assert len({before, changed, current_state()}) == 3
