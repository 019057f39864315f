"""The cluster that workers copy is made anew whenever what it is made of has changed."""

import shutil

import pytest

from support import migrated_cluster
from support.migrated_cluster import current_state


@pytest.fixture
def copies(tmp_path, monkeypatch):
    """Puts copies of the migrations and of the other code in the given directories, in the place of the real ones."""
    originals = migrated_cluster.sources()

    def placed(*names):
        folders = tuple(tmp_path / name for name in names)
        for original, folder in zip(originals, folders, strict=True):
            shutil.copytree(original, folder)
        monkeypatch.setattr(migrated_cluster, "sources", lambda: folders)
        return folders[0] / "versions"

    return placed


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_the_state_is_that_of_the_contents_wherever_they_lie(names, copies):
    before = current_state()
    copies(*names)

    assert current_state() == before


def test_another_migration_or_a_changed_one_is_another_state(copies):
    migrations = copies("migrations", "database")
    before = current_state()
    first = min(migrations.glob("*.py"))

    first.write_text(first.read_text() + "\n")
    changed = current_state()
    (migrations / "9999_another.py").write_text("")

    assert len({before, changed, current_state()}) == 3
