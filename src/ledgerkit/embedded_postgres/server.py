"""The embedded server as the rest of ledgerkit sees it: started, watched, addressed, stopped."""

import asyncio
import errno
import math
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import asyncpg
import structlog

from ledgerkit.embedded_postgres.account import Account
from ledgerkit.embedded_postgres.address import Address, Urls, address_for
from ledgerkit.embedded_postgres.binaries import Binaries, executable_by, find_binaries
from ledgerkit.embedded_postgres.cluster import SUPERUSER, prepare_cluster, written_by
from ledgerkit.embedded_postgres.errors import EmbeddedMsg, PostgresStartError
from ledgerkit.embedded_postgres.home import (
    LOG_FILE_MIB,
    SHELTER,
    Home,
    Owner,
    existing_home,
    open_home,
    owner_of,
    remove_elsewhere,
)
from ledgerkit.embedded_postgres.postmaster import (
    POLL_SECONDS,
    PidFile,
    end,
    end_earlier_run,
    end_now,
    running_postmaster,
)

DATABASE = "ledgerkit"
WATCH_SECONDS = 0.25
LOG_PRUNING_SECONDS = 30
PROGRESS_SECONDS = 10
MAX_RESTART_DELAY_SECONDS = 30
SETTINGS: Mapping[str, str] = {
    "max_connections": "120",
    "shared_buffers": "64MB",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
    "logging_collector": "on",
    "log_directory": "log",
    "log_filename": "postgresql-%Y-%m-%d_%H%M%S.log",
    "log_file_mode": "0600",
    "log_rotation_age": "1d",
    "log_rotation_size": f"{LOG_FILE_MIB}MB",
    "log_error_verbosity": "terse",  # the DETAIL of a refused row would put clients' data into the log
}
THROWAWAY_SETTINGS: Mapping[str, str] = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
log = structlog.get_logger(__name__)


class EmbeddedPostgres:
    """A PostgreSQL of our own in `directory`, run as a child process and restarted when it dies.

    `settings` are PostgreSQL's own names and override ours. `durable=False` is for tests: faster, but a crash of
    the machine may spoil the cluster; and when such a cluster had to be placed outside `directory` (see
    `open_home`), `stop` deletes it.
    The superuser is `ledgerkit`, its password is random and demanded on every connection.
    """

    def __init__(self, directory: Path, *, settings: Mapping[str, str] | None = None, durable: bool = True) -> None:
        self.directory = directory.resolve()
        self.restarts = 0
        self._durable = durable
        self._settings = {**SETTINGS, **({} if durable else THROWAWAY_SETTINGS), **(settings or {})}
        self._home: Home | None = None
        self._account = Account()
        self._binaries: Binaries | None = None
        self._owner: Owner | None = None
        self._address: Address | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._stopping = False
        self._lost_at: float | None = None

    @property
    def dsn(self) -> str:
        """Address of ledgerkit's own database."""
        return self.url()

    def url(self, database: str = DATABASE) -> str:
        """Return the address of a database as its owner, as `postgresql+asyncpg://`, with the password.

        Raises PostgresStartError before `start`.
        """
        return self.urls(database).owner

    def urls(self, database: str = DATABASE) -> Urls:
        """Return the addresses of a database. Raises PostgresStartError before `start`."""
        if self._address is None or self._home is None:
            raise PostgresStartError(EmbeddedMsg.NOT_STARTED)
        return self._address.urls(self._home, database)

    @property
    def lost_seconds(self) -> float:
        """Seconds for which no server process has lived though one should; infinite when nobody would start one.

        A server that recovers from a crash lives: it must be given the time that it needs.
        """
        if self._supervisor is None or self._supervisor.done():
            return math.inf
        is_alive = self._process is not None and self._process.poll() is None
        return 0 if is_alive or self._lost_at is None else time.monotonic() - self._lost_at

    async def start(self) -> None:
        """Make the cluster when it is new, start the server, wait (through crash recovery too) until it answers.

        Raises PostgresStartError, with what to do, when it cannot; nothing is left running then.
        """
        try:
            with _explained(self.directory):
                await asyncio.to_thread(self._prepare)
                await self._launch_first()
                await self._ensure_database()
        except BaseException:
            self._abandon()
            raise
        self._stopping = False
        self._supervisor = asyncio.create_task(self._supervise(), name="postgres supervisor")
        await asyncio.sleep(0)  # lets it begin: a task cancelled before its first step never reaches its `finally`
        log.info("postgres.started", **self.describe())

    async def stop(self) -> None:
        """Stop the server and wait until it is gone; also when cancelled meanwhile. Twice does no harm."""
        self._stopping = True
        try:
            if self._supervisor is not None:
                self._supervisor.cancel()
                await asyncio.wait([self._supervisor])
                self._supervisor = None
            if self._process is not None:
                await end(self._process)
                log.info("postgres.stopped", pid=self._process.pid)
        finally:
            self._abandon()
            if self._home is not None and not self._durable:
                remove_elsewhere(self._home)

    async def create_database(self, name: str) -> None:
        """Create an empty database. Raises asyncpg.DuplicateDatabaseError when it exists."""
        await self._command(f"CREATE DATABASE {_quoted(name)}")

    async def clone(self, template: str, name: str) -> None:
        """Copy a database that nobody is connected to, by its files: 22 ms without fsync, 115 by its log."""
        await self._command(f"CREATE DATABASE {_quoted(name)} TEMPLATE {_quoted(template)} STRATEGY FILE_COPY")

    async def drop_database(self, name: str) -> None:
        """Delete a database and end its connections; a missing one is no error."""
        await self._command(f"DROP DATABASE IF EXISTS {_quoted(name)} WITH (FORCE)")

    def describe(self) -> dict[str, str | int | None]:
        """Describe the server for an operator: works before `start` too, and while another process runs the server.

        Raises PostgresStartError when we may not look, or no PostgreSQL is installed.
        """
        with _explained(self.directory):
            home = self._home or existing_home(self.directory)
            running = running_postmaster(home.cluster)
            pid_file = PidFile.read(home.cluster) if running else None
            address = Address(pid_file.host, pid_file.port) if pid_file else None
            return {
                "version": (self._binaries or find_binaries()).release,
                "data_version": written_by(home.cluster),
                "directory": str(home.path),
                "mode": ("socket" if address.is_socket else "tcp") if address else None,
                "address": f"{address.host}:{address.port}" if address else None,
                "pid": running,
                "owner_pid": owner_of(home) if running else None,
                "restarts": self.restarts,
            }

    def _prepare(self) -> None:
        """Do everything up to the first launch; blocking."""
        binaries = find_binaries()
        self._home, self._account = open_home(self.directory, durable=self._durable)
        self._owner = Owner.claim(self._home)
        self._binaries = executable_by(self._account, binaries, SHELTER)
        _clear_the_way(self._home)
        prepare_cluster(self._home, self._binaries, self._account, durable=self._durable)
        self._home.prune_logs()
        self._address = address_for(self._home)
        if self._address.is_socket:
            self._home.sockets.mkdir(mode=0o700, exist_ok=True)
            self._account.own(self._home.sockets)

    async def _launch_first(self) -> None:
        """Launch the server; with a second port when the first one, free a moment ago, was taken meanwhile."""
        try:
            await self._launch()
        except PostgresStartError:
            if self._home is None or self._address is None or self._address.is_socket:
                raise
            self._address = address_for(self._home)
            await self._launch()

    async def _launch(self) -> None:
        home, address = self._home, self._address
        if home is None or address is None or self._binaries is None:
            raise PostgresStartError(EmbeddedMsg.NOT_PREPARED)
        if self._process is not None:  # one that runs, where an earlier launch failed after its start
            await asyncio.to_thread(end_now, self._process)
        await asyncio.to_thread(_clear_the_way, home)
        command: list[str | Path] = [self._binaries.program("postgres"), "-D", home.cluster]
        for name, value in {**self._settings, **address.settings}.items():
            command += ["-c", f"{name}={value}"]
        with home.first_words.open("wb") as output:
            self._process = self._account.start(command, output)
        await self._until_ready(self._process, home)

    async def _until_ready(self, process: subprocess.Popen[bytes], home: Home) -> None:
        """Wait as long as the process lives: recovery after a crash may take minutes and must not be cut short."""
        started_at = reported_at = time.monotonic()
        while (refusal := await self._refusal(process, home)) is not None:
            if process.poll() is not None:
                raise PostgresStartError(
                    EmbeddedMsg.ENDED_WHILE_STARTING,
                    path=home.path,
                    returncode=process.returncode,
                    last_words=home.last_words(),
                )
            if time.monotonic() - reported_at > PROGRESS_SECONDS:
                reported_at = time.monotonic()
                log.info(
                    "postgres.waiting",
                    seconds=round(reported_at - started_at),
                    refusal=refusal,
                    last=home.last_words(1).strip(),
                )
            await asyncio.sleep(POLL_SECONDS)

    async def _refusal(self, process: subprocess.Popen[bytes], home: Home) -> str | None:
        """Explain why the server does not take connections yet, None when it does."""
        pid_file = PidFile.read(home.cluster)
        if pid_file is None or pid_file.pid != process.pid:  # on its port may be somebody else
            return "it does not listen yet"
        try:
            connection = await self._connect("postgres")
        except asyncpg.InvalidAuthorizationSpecificationError as error:
            raise PostgresStartError(
                EmbeddedMsg.PASSWORD_REFUSED, error=error, password_file=home.password_file
            ) from error
        except asyncpg.TooManyConnectionsError:
            return None
        except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            return str(error) or type(error).__name__
        await connection.close()
        return None

    async def _connect(self, database: str) -> "asyncpg.Connection[asyncpg.Record]":
        if self._address is None or self._home is None:
            raise PostgresStartError(EmbeddedMsg.NOT_STARTED)
        return await asyncpg.connect(
            host=self._address.host,
            port=self._address.port,
            user=SUPERUSER,
            password=self._home.password(),
            database=database,
            ssl=False,
            timeout=10,
        )

    async def _command(self, statement: str) -> None:
        connection = await self._connect("postgres")
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    async def _ensure_database(self) -> None:
        with suppress(asyncpg.DuplicateDatabaseError):
            await self.create_database(DATABASE)

    async def _supervise(self) -> None:
        """Watch the server and its logs, whatever fails; when the event loop ends without `stop`, end the server too.

        An exception here must never cost the server: whoever uses up the descriptors or the disk of this process would
        otherwise take the database away from everybody.
        """
        pruned_at = time.monotonic()
        try:
            while True:
                await asyncio.sleep(WATCH_SECONDS)
                with _logged("postgres.watch_failed"):
                    await self._restart_if_dead()
                if time.monotonic() - pruned_at > LOG_PRUNING_SECONDS:
                    pruned_at = time.monotonic()
                    with _logged("postgres.pruning_failed"):
                        self._prune_logs()
        except BaseException:  # cancelled, or closed with the event loop: nothing else comes here
            if not self._stopping:
                self._abandon()
            raise

    async def _restart_if_dead(self) -> None:
        process = self._process
        if process is not None and process.poll() is not None:
            log.error("postgres.died", pid=process.pid, code=process.returncode)
            self._lost_at = time.monotonic()
            await self._restart()
            self._lost_at = None

    def _prune_logs(self) -> None:
        if self._home is not None:
            self._home.prune_logs()

    async def _restart(self) -> None:
        """Start the server until it runs: at once, then with pauses growing to `MAX_RESTART_DELAY_SECONDS`."""
        delay = 1
        while True:
            try:
                await self._launch()
            except (PostgresStartError, OSError) as error:
                log.error(  # noqa: TRY400 - its message is for a human; the way here would only hide it
                    "postgres.restart_failed", error=str(error), next_try_seconds=delay
                )
            except Exception:
                log.exception("postgres.restart_failed", next_try_seconds=delay)
            else:
                self.restarts += 1
                log.warning("postgres.restarted", restarts=self.restarts)
                return
            await asyncio.sleep(delay)
            delay = min(2 * delay, MAX_RESTART_DELAY_SECONDS)

    def _abandon(self) -> None:
        """End the process and give up its lock."""
        if self._process is not None:
            end_now(self._process)
            self._process = None
        if self._owner is not None:
            self._owner.release()
            self._owner = None


def running_urls(directory: Path, database: str = DATABASE) -> Urls | None:
    """Return the addresses of the server that another process runs in `directory`; None when none runs there.

    Raises PostgresStartError when we may not look.
    """
    with _explained(directory):
        home = existing_home(directory.resolve())
        pid_file = PidFile.read(home.cluster)
        if pid_file is None or running_postmaster(home.cluster) is None:
            return None
        return Address(pid_file.host, pid_file.port).urls(home, database)


def server_in(directory: Path, *, durable: bool = True) -> EmbeddedPostgres:
    """Return the server of `directory`, not started; `durable` as in `EmbeddedPostgres`."""
    return EmbeddedPostgres(directory, durable=durable)


def has_cluster(directory: Path) -> bool:
    """Return True when a server was ever started in `directory`.

    Raises PostgresStartError when we may not look, or no PostgreSQL is installed.
    """
    return EmbeddedPostgres(directory).describe()["data_version"] is not None


def lends_account(directory: Path) -> bool:
    """Return True when the server's files lie in `directory` and belong to another user, as whom it runs."""
    cluster = Home(directory, directory).cluster
    return cluster.is_dir() and cluster.stat().st_uid != os.geteuid()


@contextmanager
def _logged(event: str) -> Iterator[None]:
    """Log an exception and go on; also where not even the log can be written."""
    try:
        yield
    except Exception:
        with suppress(Exception):
            log.exception(event)


def _clear_the_way(home: Home) -> None:
    """Remove what a killed server left: itself, its number, its socket and the socket's lock."""
    end_earlier_run(home.cluster)
    for left in home.sockets.glob(".s.PGSQL.*"):
        left.unlink(missing_ok=True)


@contextmanager
def _explained(directory: Path) -> Iterator[None]:
    """Turn what the file system refuses into words for a human; a full disk stays the OSError that it is."""
    try:
        yield
    except PermissionError as error:
        raise PostgresStartError(
            EmbeddedMsg.OF_ANOTHER_USER,
            name=Account().name,
            filename=error.filename,
            directory=directory,
        ) from error
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise
        raise PostgresStartError(EmbeddedMsg.CANNOT_RUN, directory=directory, error=error) from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
