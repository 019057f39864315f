"""Check the machine: the installed package, the data directory, the secret key, the port, and the public address."""

import os
import shlex
import stat
import sys
from collections.abc import Iterator
from http import HTTPStatus
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from ledgerkit.commands.examining.findings import Finding, advised, good, missing, of_error
from ledgerkit.commands.examining.messages import DoctorMsg
from ledgerkit.commands.listening import bound
from ledgerkit.core.operation.installation.database.access import has_own_cluster
from ledgerkit.core.platform.database.readiness import MIB, free_bytes, least_mib
from ledgerkit.core.sales.invoices.pdf import MissingRequirements, requirement_names
from ledgerkit.settings import Settings, kept_secret_key
from ledgerkit.settings.start_errors import StartError
from ledgerkit.telemetry.metrics import MetricsServer
from ledgerkit.telemetry.tracing import Lack
from ledgerkit.texts import text

COMFORTABLE_MIB = 1024
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_ANYWHERE = {"", "0.0.0.0", "::"}  # noqa: S104 - compared with, not listened on
_ANSWER_SECONDS = 3


def other_distribution() -> Iterator[Finding]:
    """Check that no distribution named `ledgerkit` is installed: it would share the folder of `ledgerkit-server`.

    Source: docs/adr/0045.
    """
    try:
        other_version = version("ledgerkit")
    except PackageNotFoundError:
        return
    command = f"{sys.executable} -m pip uninstall --yes ledgerkit"
    yield advised(DoctorMsg.OTHER_DISTRIBUTION, version=other_version, command=command)


def data_directory(settings: Settings) -> Iterator[Finding]:
    """Check that the data directory can be written to, by nobody else, and has room."""
    path = settings.data_dir.absolute()
    place = next(folder for folder in (path, *path.parents) if folder.exists())
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        yield missing(DoctorMsg.DIRECTORY_UNWRITABLE, directory=place)
        return
    if path.exists() and path.stat().st_mode & stat.S_IWOTH:
        yield missing(DoctorMsg.DIRECTORY_OPEN_TO_ALL, path=path, command=f"chmod o-w {shlex.quote(str(path))}")
    yield _room(settings, path)


def _room(settings: Settings, path: Path) -> Finding:
    free, least = free_bytes(path) // MIB, least_mib(settings)
    if free < least:
        return missing(DoctorMsg.DIRECTORY_ROOM_SHORT, directory=path, free=free, least=least)
    if free < COMFORTABLE_MIB:
        return advised(DoctorMsg.DIRECTORY_ROOM_LOW, directory=path, free=free)
    return good(DoctorMsg.DIRECTORY_ROOM, directory=path, free=free)


def secret_key(settings: Settings) -> Iterator[Finding]:
    """Check that the secret key is there, or may be made, and that nobody else can read it."""
    path = settings.data_dir.absolute() / "secret.key"
    try:
        key = kept_secret_key(settings)
    except (StartError, OSError) as error:
        yield of_error(DoctorMsg.KEY, error)
        return
    if settings.secret_key is not None:
        yield good(DoctorMsg.ABOUT, subject=DoctorMsg.KEY, finding="LEDGERKIT_SECRET_KEY")
    elif key is None:
        yield _absent(settings, path)
    elif path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield missing(DoctorMsg.KEY_OPEN_TO_OTHERS, path=path, command=f"chmod 600 {shlex.quote(str(path))}")
    else:
        yield good(DoctorMsg.ABOUT, subject=DoctorMsg.KEY, finding=path)


def _absent(settings: Settings, path: Path) -> Finding:
    if not has_cluster(settings):
        making = text(DoctorMsg.KEY_TO_BE_MADE, path=path)
        return good(DoctorMsg.ABOUT, subject=DoctorMsg.KEY, finding=making)
    return missing(DoctorMsg.KEY_LOST, path=path)


def has_cluster(settings: Settings) -> bool:
    """Return True when the embedded PostgreSQL has ever been started here."""
    try:
        return has_own_cluster(settings)
    except StartError:
        return False


def port(settings: Settings) -> Finding:
    """Check that the port is free, or that ledgerkit itself answers there."""
    address = f"{settings.host}:{settings.port}"
    if _answers(settings):
        answering = text(DoctorMsg.PORT_OF_LEDGERKIT, address=address)
        return good(DoctorMsg.ABOUT, subject=DoctorMsg.PORT, finding=answering)
    try:
        bound(settings.host, settings.port).close()
    except StartError as error:
        return of_error(DoctorMsg.PORT, error)
    return _free(DoctorMsg.PORT, address)


def _free(subject: DoctorMsg, address: str) -> Finding:
    return good(DoctorMsg.ABOUT, subject=subject, finding=text(DoctorMsg.ADDRESS_FREE, address=address))


def _answers(settings: Settings) -> bool:
    if settings.port == 0:
        return False
    try:
        answer = httpx2.get(
            f"{_address(settings.host, settings.port)}/health", timeout=_ANSWER_SECONDS, trust_env=False
        )
        return answer.status_code == HTTPStatus.OK and answer.json() == {"status": "ok"}
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError):
        return False


def _address(host: str, port: int) -> str:
    """Return the address by which this machine reaches a server that listens there."""
    called = "127.0.0.1" if host in _ANYWHERE else host
    return f"http://[{called}]:{port}" if ":" in called else f"http://{called}:{port}"


async def metrics(settings: Settings) -> list[Finding]:
    """The port of /metrics, where there is to be one, can be had, or ledgerkit serves it already."""
    if settings.metrics_port is None:
        return []
    address = f"{settings.metrics_host}:{settings.metrics_port}"
    if settings.metrics_port != settings.port and _shows_metrics(settings):
        shown = text(DoctorMsg.METRICS_SHOWN, address=address)
        return [good(DoctorMsg.ABOUT, subject=DoctorMsg.METRICS, finding=shown)]
    server = MetricsServer(settings)
    try:
        await server.start()
    except StartError as error:
        return [of_error(DoctorMsg.METRICS, error)]
    await server.stop()
    return [_free(DoctorMsg.METRICS, address)]


def _shows_metrics(settings: Settings) -> bool:
    address = _address(settings.metrics_host, settings.metrics_port or 0)
    try:
        answer = httpx2.get(f"{address}/metrics", timeout=_ANSWER_SECONDS, trust_env=False)
    except (httpx2.HTTPError, httpx2.InvalidURL):
        return False
    return answer.status_code == HTTPStatus.OK and "ledgerkit_" in answer.text


def traces(lack: Lack | None) -> Iterator[Finding]:
    """Traces that are asked for can be sent; a server without them works all the same."""
    if lack is not None:
        yield advised(DoctorMsg.TRACES, reason=lack.reason, command=lack.remedy)


def pdf_libraries(lacking: MissingRequirements | None) -> Iterator[Finding]:
    """Check the libraries and fonts of PDFs; without the advised ones some characters are printed as a box."""
    if lacking is None:
        yield good(DoctorMsg.PDF_GOOD)
        return
    typed = requirement_names(lacking.command)
    if lacking.needed:
        yield missing(DoctorMsg.PDF_IMPOSSIBLE, names=requirement_names(*lacking.needed), command=typed)
    if lacking.advised:
        yield advised(DoctorMsg.PDF_BOXES, names=requirement_names(*lacking.advised), command=typed)


def public_address(settings: Settings) -> Finding:
    """Links in mails lead to where their recipients can go."""
    url, outside = settings.public_url, settings.smtp_url is not None
    parts = urlsplit(url)
    if outside and parts.hostname in LOOPBACK:
        return missing(DoctorMsg.ADDRESS_LOCAL, url=url)
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        return advised(DoctorMsg.ADDRESS_UNENCRYPTED, url=url)
    return good(DoctorMsg.ADDRESS_GOOD, url=url)
