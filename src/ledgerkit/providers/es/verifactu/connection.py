"""Trying the way to the authority without reporting anything: TLS both ways, and a request that carries no record.

A GET of the service's address: the service answers that only POST is served (4135), which comes behind all doors.
Source: AEAT, web service description 1.0.3, section 4, and error table (4135).
"""

import asyncio
import re
import ssl
from collections.abc import Iterator
from time import monotonic

import httpx2

from ledgerkit import clock
from ledgerkit.providers.api import ConnectionTest, FieldProblem
from ledgerkit.providers.es.verifactu import certificates, transport
from ledgerkit.providers.es.verifactu.setup import Endpoint

_READ_BYTES = 64 * 1024
_FAULT = re.compile(rb"<(?:[A-Za-z0-9]+:)?Fault\b")
_ALERTS = {
    "CERTIFICATE_EXPIRED": ("it has expired", "Renew the certificate and use the new one."),
    "CERTIFICATE_REVOKED": ("it has been revoked", "Get a new certificate and use that one."),
    "UNKNOWN_CA": (
        "it does not know who issued it",
        "Use a qualified certificate of an authority that the service trusts, with its intermediate certificates.",
    ),
    "CERTIFICATE_REQUIRED": ("it was shown none", "Give a certificate with its key."),
}
_OTHER_ALERT = ("it does not say why", "Check that the certificate is a qualified one, in force, and for this host.")

Verdict = tuple[bool | None, bool | None, bool | None, FieldProblem | None]
"""Reachable, server verified, certificate accepted, and what is wrong."""


async def test(endpoint: Endpoint, shown: str | None, *, timeout_seconds: float) -> ConnectionTest:
    """Connect once, send no record, and say how far it got."""
    host = httpx2.URL(endpoint.url).host
    started = monotonic()
    status, verdict = await _tried(endpoint, host, timeout_seconds)
    return ConnectionTest(
        host=host,
        certificate=shown,
        reachable=bool(verdict[0]),
        server_verified=verdict[1],
        certificate_accepted=verdict[2],
        http_status=status,
        milliseconds=round((monotonic() - started) * 1000),
        problem=verdict[3],
    )


async def _tried(endpoint: Endpoint, host: str, timeout_seconds: float) -> tuple[int | None, Verdict]:
    try:
        context = await asyncio.to_thread(certificates.context, endpoint)
    except (OSError, ValueError) as failure:
        fix = "Give a PEM or PKCS#12 file with its key, and the right password."
        return None, (None, None, None, _problem("CERTIFICATE_UNUSABLE", f"it cannot be used: {failure}", fix))
    try:
        async with (
            asyncio.timeout(timeout_seconds),
            transport.client(endpoint, context, timeout_seconds) as client,
            client.stream("GET", endpoint.url) as response,
        ):
            body = await _beginning(response)
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, OSError) as failure:
        return None, _failed(failure, endpoint, host)
    return response.status_code, _answered(response.status_code, body, host)


async def _beginning(response: httpx2.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _READ_BYTES:
            break
    return bytes(body)


def _failed(failure: BaseException, endpoint: Endpoint, host: str) -> Verdict:
    """Explain a broken connection by the certificate of either side."""
    for cause in _causes(failure):
        if isinstance(cause, ssl.SSLCertVerificationError):
            message = f"the certificate of {host} cannot be trusted: {cause.verify_message}"
            fix = "Set LEDGERKIT_VERIFACTU_CA_FILE to the authorities to trust, or mend the machine's trust store."
            return True, False, None, _problem("SERVER_NOT_TRUSTED", message, fix)
        if isinstance(cause, ssl.SSLError) and "ALERT" in (cause.reason or ""):
            return True, True, False, _refused_by_alert(cause.reason or "", host)
    if isinstance(failure, (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)):
        return True, True, False, _refused_in_silence(endpoint, host)
    message = f"{host} cannot be reached ({_said(failure)})"
    fix = "Check the address, the network and its firewall; the service may also be down."
    return False, None, None, _problem("UNREACHABLE", message, fix)


def _refused_by_alert(reason: str, host: str) -> FieldProblem:
    why, fix = next((said for name, said in _ALERTS.items() if name in reason), _OTHER_ALERT)
    return _problem("CERTIFICATE_REFUSED", f"{host} refuses the certificate: {why} ({reason})", fix)


def _refused_in_silence(endpoint: Endpoint, host: str) -> FieldProblem:
    """Cut after our side of the handshake was done: what TLS 1.3 servers do that refuse a certificate without a word.

    Source: RFC 8446, 4.4.2.4; the connection is complete for the client before the server has looked at it.
    """
    shown = certificates.shown(endpoint)
    if shown is None:
        why, fix = _ALERTS["CERTIFICATE_REQUIRED"]
    elif shown.valid_until < clock.now():
        why, fix = _ALERTS["CERTIFICATE_EXPIRED"]
    else:
        why = "perhaps it does not know who issued it"
        fix = _ALERTS["UNKNOWN_CA"][1] + " If it is one, try again later."
    return _problem("CERTIFICATE_REFUSED", f"{host} cut the connection at the sight of the certificate: {why}", fix)


def _answered(status: int, body: bytes, host: str) -> Verdict:
    """Judge an answer to a certificate: 401 on the host of the other kind, a redirect for unknown ones."""
    if status == httpx2.codes.UNAUTHORIZED:
        message = f"{host} is not for certificates of this kind (401)"
        fix = "Say `seal` for an entity's seal, and `person` for every other certificate."
        return True, True, False, _problem("CERTIFICATE_KIND", message, fix)
    if status == httpx2.codes.FORBIDDEN or 300 <= status < 400:
        message = f"{host} refuses the certificate ({status})"
        fix = "It must be a qualified one, in force, of the issuer or of somebody with powers to act for the issuer."
        return True, True, False, _problem("CERTIFICATE_REFUSED", message, fix)
    if status == httpx2.codes.TOO_MANY_REQUESTS:
        return True, True, None, _problem("BUSY", f"{host} asks to be left alone (429)", "Try again in some minutes.")
    if status < 300 or status == httpx2.codes.METHOD_NOT_ALLOWED or _FAULT.search(body):
        return True, True, True, None
    message = f"{host} answers {status}, which the service never does"
    fix = "Check LEDGERKIT_VERIFACTU_URL; if none is set, the service may be down: try again later."
    return True, True, None, _problem("NOT_THE_SERVICE", message, fix)


def _causes(failure: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while failure is not None and id(failure) not in seen:
        seen.add(id(failure))
        yield failure
        failure = failure.__cause__ or failure.__context__


def _said(failure: BaseException) -> str:
    return f"{type(failure).__name__} {failure}".strip()


def _problem(code: str, message: str, remedy: str) -> FieldProblem:
    return FieldProblem(field="certificate", code=code, message=message, remedy=remedy)
