"""Check the machine: the data directory, the secret key, the port, and the public address."""

import os
import shlex
import stat
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from ledgerkit.commands.examining.findings import Finding, advised, good, missing, of_error
from ledgerkit.commands.listening import bound
from ledgerkit.core.database.postgres import EmbeddedPostgres
from ledgerkit.core.database.readiness import MIB, free_bytes, least_mib
from ledgerkit.core.invoices.rendering import MissingRequirements
from ledgerkit.metrics_server import MetricsServer
from ledgerkit.settings import Settings, kept_secret_key
from ledgerkit.start_errors import StartError
from ledgerkit.tracing import Lack

COMFORTABLE_MIB = 1024
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_ANYWHERE = {"", "0.0.0.0", "::"}  # noqa: S104 - compared with, not listened on
_ANSWER_SECONDS = 3

_DIRECTORY = "Data directory", "Directorio de datos"
_KEY = "Secret key", "Clave secreta"
_PORT = "Port", "Puerto"
_METRICS = "Metrics", "Métricas"


def data_directory(settings: Settings) -> Iterator[Finding]:
    """It can be written to, by nobody else, and has room."""
    path = settings.data_dir.absolute()
    place = next(one for one in (path, *path.parents) if one.exists())
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        yield missing(
            f"{_DIRECTORY[0]}: this user cannot write to {place}. Give it the right, or name another directory: "
            "LEDGERKIT_DATA_DIR=<directory>",
            f"{_DIRECTORY[1]}: este usuario no puede escribir en {place}. Dale permiso, o indica otro directorio: "
            "LEDGERKIT_DATA_DIR=<directorio>",
        )
        return
    if path.exists() and path.stat().st_mode & stat.S_IWOTH:
        yield _too_open(path, "may be changed by every user", "lo puede cambiar cualquier usuario", "chmod o-w")
    yield _room(settings, path)


def _room(settings: Settings, path: Path) -> Finding:
    free, least = free_bytes(path) // MIB, least_mib(settings)
    english, spanish = f"{_DIRECTORY[0]}: {path}, {free} MiB free", f"{_DIRECTORY[1]}: {path}, {free} MiB libres"
    if free < least:
        return missing(
            f"{english}; the server needs {least}. Make room there, or name another directory (LEDGERKIT_DATA_DIR).",
            f"{spanish}; el servidor necesita {least}. Haz sitio, o indica otro directorio (LEDGERKIT_DATA_DIR).",
        )
    if free < COMFORTABLE_MIB:
        return advised(f"{english}. Make room there soon.", f"{spanish}. Haz sitio pronto.")
    return good(english, spanish)


def secret_key(settings: Settings) -> Iterator[Finding]:
    """It is there, or may be made; nobody else can read it."""
    path = settings.data_dir.absolute() / "secret.key"
    try:
        found = kept_secret_key(settings)
    except (StartError, OSError) as error:
        yield of_error(_KEY, error)
        return
    if settings.secret_key is not None:
        yield good(f"{_KEY[0]}: LEDGERKIT_SECRET_KEY", f"{_KEY[1]}: LEDGERKIT_SECRET_KEY")
    elif found is None:
        yield _absent(settings, path)
    elif path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield _too_open(path, "may be read by other users", "lo pueden leer otros usuarios", "chmod 600")
    else:
        yield good(f"{_KEY[0]}: {path}", f"{_KEY[1]}: {path}")


def _absent(settings: Settings, path: Path) -> Finding:
    if not has_cluster(settings):
        return good(f"{_KEY[0]}: the first start makes it ({path})", f"{_KEY[1]}: la crea el primer arranque ({path})")
    return missing(
        f"{_KEY[0]}: there is a database and no key for it. Put {path} back from your backup, or set "
        "LEDGERKIT_SECRET_KEY as before: a new key ends all logins and opens no stored certificate.",
        f"{_KEY[1]}: hay una base de datos y no su clave. Recupera {path} de tu copia, o pon LEDGERKIT_SECRET_KEY como "
        "antes: una clave nueva cierra todas las sesiones y no abre ningún certificado guardado.",
    )


def has_cluster(settings: Settings) -> bool:
    """Return True when the embedded PostgreSQL has ever been started here."""
    try:
        return EmbeddedPostgres(settings.data_dir / "postgres").describe()["data_version"] is not None
    except StartError:
        return False


def _too_open(path: Path, english: str, spanish: str, command: str) -> Finding:
    remedy = f"{command} {shlex.quote(str(path))}"
    return missing(f"{path} {english}. Type: {remedy}", f"{path} {spanish}. Teclea: {remedy}")


def port(settings: Settings) -> Finding:
    """It is free, or ledgerkit itself answers there."""
    where = f"{settings.host}:{settings.port}"
    if _answers(settings):
        return good(f"{_PORT[0]}: ledgerkit answers on {where}", f"{_PORT[1]}: ledgerkit responde en {where}")
    try:
        bound(settings.host, settings.port).close()
    except StartError as error:
        return of_error(_PORT, error)
    return good(f"{_PORT[0]}: {where} is free", f"{_PORT[1]}: {where} está libre")


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
    where = f"{settings.metrics_host}:{settings.metrics_port}"
    if settings.metrics_port != settings.port and _shows_metrics(settings):
        return [good(f"{_METRICS[0]}: ledgerkit shows them on {where}", f"{_METRICS[1]}: se ven en {where}")]
    server = MetricsServer(settings)
    try:
        await server.start()
    except StartError as error:
        return [of_error(_METRICS, error)]
    await server.stop()
    return [good(f"{_METRICS[0]}: {where} is free", f"{_METRICS[1]}: {where} está libre")]


def _shows_metrics(settings: Settings) -> bool:
    address = _address(settings.metrics_host, settings.metrics_port or 0)
    try:
        answer = httpx2.get(f"{address}/metrics", timeout=_ANSWER_SECONDS, trust_env=False)
    except (httpx2.HTTPError, httpx2.InvalidURL):
        return False
    return answer.status_code == HTTPStatus.OK and "ledgerkit_" in answer.text


def traces(found: Lack | None) -> Iterator[Finding]:
    """Traces that are asked for can be sent; a server without them works all the same."""
    if found is not None:
        yield advised(
            f"Traces: {found.english}. Type: {found.remedy}", f"Trazas: {found.spanish}. Teclea: {found.remedy}"
        )


def pdf_libraries(found: MissingRequirements | None) -> Iterator[Finding]:
    """Check the libraries and fonts of PDFs; without the advised ones some characters are printed as a box."""
    if found is None:
        yield good("PDFs: libraries and fonts are there", "PDF: están las bibliotecas y las letras")
        return
    if found.needed:
        names = ", ".join(found.needed)
        yield missing(
            f"PDFs: none can be made without {names}. Type: {found.command}",
            f"PDF: no se puede hacer ninguno sin {names}. Teclea: {found.command}",
        )
    if found.advised:
        names = ", ".join(found.advised)
        yield advised(
            f"PDFs: some characters are printed as a box without {names}. Type: {found.command}",
            f"PDF: algunos caracteres salen como un recuadro sin {names}. Teclea: {found.command}",
        )


def public_address(settings: Settings) -> Finding:
    """Links in mails lead to where their recipients can go."""
    url, outside = settings.public_url, settings.smtp_url is not None
    parts = urlsplit(url)
    name = "LEDGERKIT_BASE_URL"
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return missing(
            f"{name}: {url} is no address. Write it as https://invoices.example.com",
            f"{name}: {url} no es una dirección. Escríbela así: https://facturas.example.com",
        )
    if outside and parts.hostname in LOOPBACK:
        return missing(
            f"{name}: mails go out (LEDGERKIT_SMTP_URL) and their links lead to {url}, where only this machine gets. "
            f"Set {name} to the public address.",
            f"{name}: salen correos (LEDGERKIT_SMTP_URL) y sus enlaces llevan a {url}, adonde solo llega esta máquina. "
            f"Pon en {name} la dirección pública.",
        )
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        return advised(
            f"{name}: {url} is not encrypted. Put a proxy with TLS in front (docs/operation.md), and write https://",
            f"{name}: {url} no va cifrada. Pon delante un proxy con TLS (docs/operation.md), y escribe https://",
        )
    return good(f"Public address: {url}", f"Dirección pública: {url}")
