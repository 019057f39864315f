"""Account of the server's processes: PostgreSQL refuses root, so root lends them an unprivileged account."""

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ledgerkit.embedded_postgres.errors import EmbeddedMsg, PostgresStartError

SYSTEM_ACCOUNTS = ("ledgerkit", "postgres", "_postgres", "nobody")
"""Accounts root may lend, best first: one made for us, PostgreSQL's own (Linux, macOS), nobody's."""

PROGRAM_ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C"}
"""The whole environment of the server's programs: PGDATA, PGPORT, LD_LIBRARY_PATH and the like stay ours."""


@dataclass(frozen=True)
class Account:
    """The user of the server's processes; `uid` and `gid` are None when that is simply ourselves."""

    uid: int | None = None
    gid: int | None = None

    @property
    def name(self) -> str:
        """Login name, or the bare number where no such user is known (containers)."""
        uid = os.geteuid() if self.uid is None else self.uid
        try:
            return pwd.getpwuid(uid).pw_name
        except KeyError:
            return str(uid)

    def own(self, path: Path) -> None:
        """Give `path` itself (not what is in it) to this account."""
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)

    def start(self, command: Sequence[str | Path], output: IO[bytes]) -> subprocess.Popen[bytes]:
        """Start a program as this account, in its own session: a Ctrl-C on our terminal is not for it.

        Raises OSError when the account may not execute it.
        """
        return subprocess.Popen(  # noqa: S603 - every command is a program found by us, without a shell
            command, stdin=subprocess.DEVNULL, stdout=output, **self._as_this_account()
        )

    def run(self, command: Sequence[str | Path], *, standard_input: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run a program as this account to its end; return its code and its (mixed) output."""
        return subprocess.run(  # noqa: S603 - as above
            command, input=standard_input, stdout=subprocess.PIPE, check=False, **self._as_this_account()
        )

    def _as_this_account(self) -> dict[str, Any]:
        return {
            "cwd": "/",
            "env": PROGRAM_ENVIRONMENT,
            "stderr": subprocess.STDOUT,
            "start_new_session": True,
            "user": self.uid,
            "group": self.gid,
            "extra_groups": None if self.uid is None else [],
        }

    def can_enter(self, directory: Path) -> bool:
        """Return True when the account may walk into `directory`. The system itself is asked: modes show no ACLs."""
        return self.run(["/bin/sh", "-c", 'cd -- "$1"', "sh", directory]).returncode == 0

    def can_execute(self, program: Path) -> bool:
        """Return True when the account may start `program`; tried with `--version`."""
        try:
            return self.run([program, "--version"]).returncode == 0
        except OSError:
            return False


def open_directory(path: Path) -> None:
    """Make a directory that everyone may walk through and only we may write, whatever our umask."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o755)


def account_for(cluster: Path) -> Account:
    """Return the account of a cluster: its owner's if it exists, ours if we are not root, else a system account.

    Raises PostgresStartError when the cluster belongs to somebody we cannot be.
    """
    owner = cluster.stat().st_uid if cluster.exists() else None
    if os.geteuid() != 0:
        return _ourselves(cluster, owner)
    if owner is None:
        return _system_account()
    if owner == 0:
        account = _system_account()
        raise PostgresStartError(EmbeddedMsg.CLUSTER_OF_ROOT, cluster=cluster, name=account.name)
    return Account(owner, _group_of(owner, cluster))


def _ourselves(cluster: Path, owner: int | None) -> Account:
    if owner is not None and owner != os.geteuid():
        raise PostgresStartError(
            EmbeddedMsg.CLUSTER_OF_ANOTHER_USER,
            cluster=cluster,
            name=Account(owner, None).name,
            name_2=Account().name,
            parent=cluster.parent,
        )
    return Account()


def _system_account() -> Account:
    for name in SYSTEM_ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(entry.pw_uid, entry.pw_gid)
    raise PostgresStartError(EmbeddedMsg.NO_ORDINARY_USER, system_accounts=", ".join(SYSTEM_ACCOUNTS))


def _group_of(uid: int, cluster: Path) -> int:
    try:
        return pwd.getpwuid(uid).pw_gid
    except KeyError:
        return cluster.stat().st_gid
