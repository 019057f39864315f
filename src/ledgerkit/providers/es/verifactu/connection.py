"""Test of the connection to the authority without reporting anything: TLS both ways, and a request without a record.

A GET of the service's address: the service answers that only POST is served (4135), which comes behind all doors.
Source: AEAT, web service description 1.0.3, section 4, and error table (4135).
"""

import asyncio
import re
import ssl
from collections.abc import Iterator, Mapping
from datetime import datetime
from time import monotonic

import httpx2

from ledgerkit import clock
from ledgerkit.providers.api import ConnectionTest, FieldProblem
from ledgerkit.providers.es.verifactu import certificates, transport
from ledgerkit.providers.es.verifactu.messages import VerifactuMsg
from ledgerkit.providers.es.verifactu.setup import Endpoint
from ledgerkit.texts import MessageId, ProblemText, problem_text, text

_READ_BYTES = 64 * 1024
_FAULT = re.compile(rb"<(?:[A-Za-z0-9]+:)?Fault\b")
_ALERTS: Mapping[str, MessageId] = {
    "CERTIFICATE_EXPIRED": VerifactuMsg.CERTIFICATE_EXPIRED,
    "CERTIFICATE_REVOKED": VerifactuMsg.CERTIFICATE_REVOKED,
    "UNKNOWN_CA": VerifactuMsg.CERTIFICATE_AUTHORITY_UNKNOWN,
    "CERTIFICATE_REQUIRED": VerifactuMsg.CERTIFICATE_NOT_SHOWN,
}
"""Reasons for which a server refuses a certificate, by a part of its alert's name."""

Verdict = tuple[bool | None, bool | None, bool | None, FieldProblem | None]
"""Verdict of a test: reachable, server verified, certificate accepted, and the problem."""


async def test(endpoint: Endpoint, certificate_owner: str | None, *, timeout_seconds: float) -> ConnectionTest:
    """Connect once without sending a record, and return how far the connection came."""
    host = httpx2.URL(endpoint.url).host
    started = monotonic()
    status, said_at, verdict = await _tried(endpoint, host, timeout_seconds)
    return ConnectionTest(
        host=host,
        certificate=certificate_owner,
        reachable=bool(verdict[0]),
        server_verified=verdict[1],
        certificate_accepted=verdict[2],
        http_status=status,
        milliseconds=round((monotonic() - started) * 1000),
        problem=verdict[3],
        said_at=said_at,
    )


async def _tried(endpoint: Endpoint, host: str, timeout_seconds: float) -> tuple[int | None, datetime | None, Verdict]:
    """Return the HTTP status and the time by the server's clock, if it answered, and the verdict."""
    try:
        context = await asyncio.to_thread(certificates.context, endpoint)
    except (OSError, ValueError) as failure:
        message = VerifactuMsg.CONNECTION_CERTIFICATE_UNUSABLE
        return (
            None,
            None,
            (None, None, None, _problem("CERTIFICATE_UNUSABLE", message, reason=transport.reason_of(failure))),
        )
    try:
        async with (
            asyncio.timeout(timeout_seconds),
            transport.client(endpoint, context, timeout_seconds) as client,
            client.stream("GET", endpoint.url) as response,
        ):
            body = await _beginning(response)
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, OSError) as failure:
        return None, None, _failed(failure, endpoint, host)
    return response.status_code, transport.said_at(response), _answered(response.status_code, body, host)


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
            reason = cause.verify_message
            return (
                True,
                False,
                None,
                _problem("SERVER_NOT_TRUSTED", VerifactuMsg.SERVER_NOT_TRUSTED, host=host, reason=reason),
            )
        if isinstance(cause, ssl.SSLError) and "ALERT" in (cause.reason or ""):
            return True, True, False, _refused_by_alert(cause.reason or "", host)
    if isinstance(failure, (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)):
        return True, True, False, _refused_in_silence(endpoint, host)
    return (
        False,
        None,
        None,
        _problem("UNREACHABLE", VerifactuMsg.UNREACHABLE, host=host, reason=_failure_text(failure)),
    )


def _refused_by_alert(alert: str, host: str) -> FieldProblem:
    reasons = (message for name, message in _ALERTS.items() if name in alert)
    reason = next(reasons, VerifactuMsg.CERTIFICATE_REFUSED_WITHOUT_REASON)
    return _refused(VerifactuMsg.CERTIFICATE_REFUSED_WITH_ALERT, reason, host=host, alert=alert)


def _refused(message: MessageId, reason: MessageId, **values: object) -> FieldProblem:
    """Problem of a refused certificate with its reason; the remedy is that of the refusal."""
    whole = text(message, reason=reason, **values)
    remedy = problem_text(reason, {}).remedy
    return FieldProblem(field="certificate", code="CERTIFICATE_REFUSED", text=ProblemText(whole, remedy))


def _refused_in_silence(endpoint: Endpoint, host: str) -> FieldProblem:
    """Problem of a connection cut after our handshake: TLS 1.3 servers refuse a certificate so, without an alert.

    Source: RFC 8446, 4.4.2.4; the connection is complete for the client before the server has looked at it.
    """
    certificate = certificates.shown(endpoint)
    if certificate is None:
        reason = VerifactuMsg.CERTIFICATE_NOT_SHOWN
    elif certificate.valid_until < clock.now():
        reason = VerifactuMsg.CERTIFICATE_EXPIRED
    else:
        reason = VerifactuMsg.CERTIFICATE_AUTHORITY_PERHAPS_UNKNOWN
    return _refused(VerifactuMsg.CERTIFICATE_REFUSED_IN_SILENCE, reason, host=host)


def _answered(status: int, body: bytes, host: str) -> Verdict:
    """Judge an answer to a certificate: 401 on the host of the other kind, a redirect for unknown ones."""
    if status == httpx2.codes.UNAUTHORIZED:
        return True, True, False, _problem("CERTIFICATE_KIND", VerifactuMsg.CERTIFICATE_KIND, host=host)
    if status == httpx2.codes.FORBIDDEN or 300 <= status < 400:
        refused = _problem("CERTIFICATE_REFUSED", VerifactuMsg.CERTIFICATE_REFUSED, host=host, status=status)
        return True, True, False, refused
    if status == httpx2.codes.TOO_MANY_REQUESTS:
        return True, True, None, _problem("BUSY", VerifactuMsg.BUSY, host=host)
    if status < 300 or status == httpx2.codes.METHOD_NOT_ALLOWED or _FAULT.search(body):
        return True, True, True, None
    return True, True, None, _problem("NOT_THE_SERVICE", VerifactuMsg.NOT_THE_SERVICE, host=host, status=status)


def _causes(failure: BaseException | None) -> Iterator[BaseException]:
    visited_ids: set[int] = set()
    while failure is not None and id(failure) not in visited_ids:
        visited_ids.add(id(failure))
        yield failure
        failure = failure.__cause__ or failure.__context__


def _failure_text(failure: BaseException) -> str:
    return f"{type(failure).__name__} {failure}".strip()


def _problem(code: str, message: MessageId, **values: object) -> FieldProblem:
    return FieldProblem(field="certificate", code=code, text=problem_text(message, values))
