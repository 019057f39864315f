"""Directory of an embedded server: its place, its files, and its owner."""

import fcntl
import os
import re
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ledgerkit.embedded_postgres.account import Account, account_for, open_directory
from ledgerkit.embedded_postgres.errors import DirectoryInUse, EmbeddedMsg, PostgresStartError
from ledgerkit.embedded_postgres.postmaster import end_earlier_run

SHELTER = Path("/var/lib/ledgerkit")
"""Directory in which root keeps clusters (and copies of the programs) when the asked one is closed to other users."""

SWEPT_PREFIX = "ledgerkit-"
"""Names of clusters that root keeps in the system's temporary directory."""

LOG_FILES = 6
"""Server logs kept; PostgreSQL begins a new one every day and every `LOG_FILE_MIB`."""

LOG_FILE_MIB = 8

LOG_NOISE = ("redirecting log output to logging collector", "Future log output will appear")


@dataclass(frozen=True)
class Home:
    """Files of one cluster.

    `asked` is the directory the caller named, `path` the real one: the same, or where `asked/elsewhere` points.
    """

    asked: Path
    path: Path

    @property
    def cluster(self) -> Path:
        """PostgreSQL's own data directory."""
        return self.path / "cluster"

    @property
    def sockets(self) -> Path:
        """Directory of the sockets, outside the cluster: a copy of the cluster never contains a socket's lock."""
        return self.path / "socket"

    @property
    def password_file(self) -> Path:
        return self.path / "password"

    @property
    def application_password_file(self) -> Path:
        return self.path / "application_password"

    @property
    def lock_file(self) -> Path:
        return self.path / "owner.lock"

    @property
    def first_words(self) -> Path:
        """Output of the server before its log is open; begun anew at each start."""
        return self.path / "start.log"

    @property
    def logs(self) -> Path:
        return self.cluster / "log"

    def password(self) -> str:
        """Return the superuser's password, made on first use: 256 random bits in a file of mode 0600."""
        return self._password(self.password_file)

    def application_password(self) -> str:
        """Return the password of the role that the server works as, made on first use as the superuser's is."""
        return self._password(self.application_password_file)

    def _password(self, file: Path) -> str:
        if not file.exists():
            self.store_password(secrets.token_urlsafe(32), file)
        return file.read_text().strip()

    def store_password(self, password: str, file: Path) -> None:
        """Write a password's file whole or not at all."""
        draft = self.path / f"password.{secrets.token_hex(8)}"
        draft.touch(mode=0o600)
        draft.write_text(f"{password}\n")
        draft.rename(file)

    def last_words(self, lines: int = 12) -> str:
        """Return the end of the server's output, for the message about its death."""
        log_lines = [line for path in [self.first_words, *self._logs()[-1:]] for line in _tail(path, lines)]
        return "\n".join(f"  {line}" for line in log_lines if not any(noise in line for noise in LOG_NOISE))

    def prune_logs(self) -> None:
        """Keep the newest `LOG_FILES` server logs: PostgreSQL itself truncates only by the clock, never by size."""
        for path in self._logs()[:-LOG_FILES]:
            path.unlink(missing_ok=True)

    def _logs(self) -> list[Path]:
        """Return the server logs, oldest first, without links: the account could lead root to other files by one."""
        if self.logs.is_symlink() or not self.logs.is_dir():
            return []
        return sorted(path for path in self.logs.glob("*.log") if not path.is_symlink())


class Owner:
    """Right to run the server of a home, held by one process at a time.

    The kernel's lock ends with the process, however it ends; the file stays and means nothing by itself.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def claim(cls, home: Home) -> Self:
        """Take the home for this process. Raises DirectoryInUse, naming the process, when another one holds it."""
        descriptor = os.open(home.lock_file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise DirectoryInUse(
                EmbeddedMsg.DIRECTORY_IN_USE,
                home=owner_of(home) or "unknown",
                asked=home.asked,
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        return cls(descriptor)

    def release(self) -> None:
        os.close(self._descriptor)


def owner_of(home: Home) -> int | None:
    """Return the process that wrote its id into the lock file last; only sure while the lock is held."""
    try:
        return int(home.lock_file.read_text())
    except (FileNotFoundError, ValueError):
        return None


def existing_home(directory: Path) -> Home:
    """Return the home of `directory` without making anything.

    Raises PostgresStartError when the directory says that its cluster is elsewhere, and it is not there.
    """
    link = directory / "elsewhere"
    if not link.is_symlink():
        return Home(directory, directory)
    target = link.readlink()
    if not target.is_dir():
        raise PostgresStartError(EmbeddedMsg.LINKED_DIRECTORY_MISSING, link=link, target=target)
    return Home(directory, target)


def open_home(directory: Path, *, durable: bool) -> tuple[Home, Account]:
    """Return the home of `directory`, made when new, and the account its server runs as.

    When root's directory lies where an ordinary account cannot go (as under /root), a new cluster is placed in
    `SHELTER` (in the system's temporary directory when it need not be durable, or `directory` is there itself)
    and `directory/elsewhere` points to it. No mode of a directory that is not ours is ever changed.
    Raises PostgresStartError when a cluster exists but its account cannot reach it.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    home = existing_home(directory)
    account = account_for(home.cluster)
    if account.uid is None:
        return home, account
    if not account.can_enter(home.path):
        _let_pass(home.path)
    if account.can_enter(home.path):
        return home, account
    if home.path != directory or home.cluster.exists():
        raise PostgresStartError(
            EmbeddedMsg.OWNER_CANNOT_ENTER_DIRECTORY, cluster=home.cluster, name=account.name, path=home.path
        )
    return _elsewhere(directory, account, durable=durable), account


def _elsewhere(directory: Path, account: Account, *, durable: bool) -> Home:
    name = re.sub(r"[^A-Za-z0-9_-]", "-", directory.name) or "data"
    temporary = Path(tempfile.gettempdir()).resolve()
    if durable and not directory.is_relative_to(temporary):
        place = SHELTER / f"{name}-{secrets.token_hex(4)}"
        open_directory(SHELTER)
        place.mkdir(mode=0o700)
    else:
        _sweep(temporary)
        place = Path(tempfile.mkdtemp(prefix=SWEPT_PREFIX, dir=temporary))
    _let_pass(place)
    if not account.can_enter(place):
        place.rmdir()
        raise PostgresStartError(
            EmbeddedMsg.NO_DIRECTORY_FOR_USER, name=account.name, directory=directory, parent=place.parent
        )
    try:
        (directory / "elsewhere").symlink_to(place)
    except FileExistsError:  # another server was first; its lock decides
        place.rmdir()
    else:
        (place / "origin").write_text(str(directory))
    return existing_home(directory)


def _sweep(temporary: Path) -> None:
    """Delete clusters in the temporary directory to which nothing points any more, ending servers left running there.

    They stay behind when a test's directory is deleted, or its process killed. Only what root made itself counts;
    `origin` is written after the link, so a place without it may still be in the making.
    """
    for place in temporary.glob(f"{SWEPT_PREFIX}*"):
        try:
            if place.lstat().st_uid != os.geteuid():
                continue
            origin = Path((place / "origin").read_text())
            if existing_home(origin).path == place:
                continue
            owner = Owner.claim(Home(origin, place))
        except (OSError, PostgresStartError):
            continue
        end_earlier_run(place / "cluster")
        shutil.rmtree(place, ignore_errors=True)
        owner.release()


def remove_elsewhere(home: Home) -> None:
    """Delete a throwaway cluster that had to be placed outside the directory its caller cleans up."""
    if home.path != home.asked:
        (home.asked / "elsewhere").unlink(missing_ok=True)
        shutil.rmtree(home.path, ignore_errors=True)


def _let_pass(directory: Path) -> None:
    """Let the account walk through a directory of ours without listing it."""
    directory.chmod(directory.stat().st_mode & 0o7777 | 0o011)


def _tail(path: Path, lines: int) -> list[str]:
    """Return the last lines of a file, reading at most its last 16 KiB."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 16_384))
            return file.read().decode(errors="replace").splitlines()[-lines:]
    except FileNotFoundError:
        return []
