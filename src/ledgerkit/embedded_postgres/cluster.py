"""Making a cluster, and reading which PostgreSQL wrote it."""

import secrets
import shutil
from pathlib import Path

import structlog

from ledgerkit.embedded_postgres.account import Account
from ledgerkit.embedded_postgres.binaries import Binaries
from ledgerkit.embedded_postgres.errors import EmbeddedMsg, PostgresStartError
from ledgerkit.embedded_postgres.home import Home

SUPERUSER = "ledgerkit"
"""Role that owns the database and migrates it."""

APPLICATION = "ledgerkit_app"
"""Role that the server works as; made when the database is prepared."""

log = structlog.get_logger(__name__)


def prepare_cluster(home: Home, binaries: Binaries, account: Account, *, durable: bool) -> None:
    """Provide a cluster that `binaries` can run, making it when there is none. The caller owns the home.

    Raises PostgresStartError when the cluster is of another major version, or cannot be made.
    """
    for left in home.path.glob("init.*"):  # a run that was killed while it made the cluster
        shutil.rmtree(left, ignore_errors=True)
    if home.cluster.exists():
        _require_same_major(home.cluster, binaries)
        if not home.password_file.exists():
            _set_new_password(home, binaries, account)
    else:
        _make(home, binaries, account, durable=durable)


def written_by(cluster: Path) -> str | None:
    """Return the major version that wrote a cluster, or None when there is no cluster."""
    try:
        return (cluster / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        return None


def _require_same_major(cluster: Path, binaries: Binaries) -> None:
    version = written_by(cluster)
    if version is None:
        raise PostgresStartError(EmbeddedMsg.NO_CLUSTER, cluster=cluster)
    if version != str(binaries.major):
        raise PostgresStartError(
            EmbeddedMsg.CLUSTER_OF_ANOTHER_RELEASE,
            cluster=cluster,
            version=version,
            release=binaries.release,
        )


def _make(home: Home, binaries: Binaries, account: Account, *, durable: bool) -> None:
    """Build the cluster aside and rename it: a kill at any moment leaves a whole cluster or none.

    The collation is PostgreSQL's builtin one, so that an upgrade of the C library never spoils an index.
    """
    log.info("postgres.initialising", directory=str(home.path), version=binaries.release, account=account.name)
    password = home.password()
    workshop = home.path / f"init.{secrets.token_hex(4)}"
    workshop.mkdir(mode=0o700)
    try:
        pwfile = workshop / "password"
        pwfile.touch(mode=0o600)
        pwfile.write_text(f"{password}\n")
        account.own(pwfile)
        account.own(workshop)
        completed = account.run(_initdb(binaries, workshop, durable=durable))
        if completed.returncode != 0:
            output = completed.stdout.decode(errors="replace").strip()
            raise PostgresStartError(EmbeddedMsg.INITDB_FAILED, path=home.path, said=output)
        (workshop / "cluster").rename(home.cluster)
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _initdb(binaries: Binaries, workshop: Path, *, durable: bool) -> list[str | Path]:
    return [
        binaries.program("initdb"),
        f"--pgdata={workshop / 'cluster'}",
        f"--username={SUPERUSER}",
        f"--pwfile={workshop / 'password'}",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
        *([] if durable else ["--no-sync"]),
    ]


def _set_new_password(home: Home, binaries: Binaries, account: Account) -> None:
    """Give the superuser a new password when its file is lost, by the server's single-user mode."""
    log.warning("postgres.password_lost", file=str(home.password_file), remedy="a new one is being set")
    draft = secrets.token_urlsafe(32)
    statement = f"ALTER ROLE {SUPERUSER} PASSWORD '{draft}'"
    command: list[str | Path] = [binaries.program("postgres"), "--single", "-j", "-D", home.cluster, "postgres"]
    completed = account.run(command, standard_input=f"{statement};\n\n".encode())
    output = completed.stdout.decode(errors="replace")
    if completed.returncode != 0 or "ERROR" in output or "FATAL" in output:
        raise PostgresStartError(
            EmbeddedMsg.PASSWORD_FILE_LOST,
            password_file=home.password_file,
            answer=output.replace(draft, "***").strip(),
        )
    home.store_password(draft, home.password_file)
