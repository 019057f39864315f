"""Files with records and keys can be read by one user only, and are whole or not there."""

import os
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE

import pytest

from ledgerkit.settings import private_files


@pytest.fixture(autouse=True)
def open_handed():
    """The operator's umask keeps nothing from anybody."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> str:
    return f"{S_IMODE(path.stat().st_mode):o}"


def test_a_file_is_the_owners_whatever_was_there(tmp_path):
    path = tmp_path / "records.xml"
    path.write_bytes(b"before")
    path.chmod(0o666)

    private_files.write(path, b"after")

    assert (path.read_bytes(), mode(path)) == (b"after", "600")
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "records.zip"
    path.write_bytes(b"before")

    with suppress(InterruptedError), private_files.writing(path) as file:
        file.write(b"half")
        raise InterruptedError

    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_directories_are_the_owners_on_all_levels_and_those_above_stay_as_they_are(tmp_path):
    tmp_path.chmod(0o755)

    private_files.make_directory(tmp_path / "a" / "b")

    assert [mode(path) for path in (tmp_path, tmp_path / "a", tmp_path / "a" / "b")] == ["755", "700", "700"]


@pytest.mark.parametrize(("open_to", "left"), [(0o777, "700"), (0o640, "600"), (0o400, "400")])
def test_only_the_rights_of_others_are_taken(tmp_path, open_to, left):
    path = tmp_path / "file"
    path.touch()
    path.chmod(open_to)

    private_files.close_to_others(path)

    assert mode(path) == left
