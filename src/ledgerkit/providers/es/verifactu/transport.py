"""Sending a message to the tax agency: SOAP 1.1 over mutual TLS. The channel's only I/O.

Source: AEAT, web service description 1.0.3, section 4; SistemaFacturacion.wsdl.
"""

import asyncio
import ssl
from datetime import datetime
from email.utils import parsedate_to_datetime

import httpx2

from ledgerkit import clock
from ledgerkit.providers.api import Access, Delivery, Environment, UnusableCertificateError
from ledgerkit.providers.es.verifactu import certificates
from ledgerkit.providers.es.verifactu.setup import Endpoint, Endpoints
from ledgerkit.texts import Text

MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""Most bytes of an answer: twice the largest usual one, 10,000 records held, of 3,000 characters each."""

MAX_RETRY_SECONDS = 3600

CONNECT_SECONDS = 10

_HEADERS = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""', "User-Agent": "ledgerkit"}
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_NEVER_SENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
    httpx2.InvalidURL,
)


async def deliver_to(
    message: bytes,
    endpoints: Endpoints,
    environment: Environment,
    issuer_access: Access | None,
    *,
    timeout_seconds: float,
) -> Delivery:
    """Deliver `message` to the environment's endpoint. Never raises: a missing endpoint is a failed Delivery."""
    try:
        endpoint = endpoints(environment, issuer_access)
    except ValueError as failure:
        return _nothing(f"the certificate cannot be used: {failure}", sent=False)
    if endpoint is None:
        return _nothing(f"no service is configured for {environment}", sent=False)
    return await deliver(endpoint, message, timeout_seconds=timeout_seconds)


async def deliver(endpoint: Endpoint, message: bytes, *, timeout_seconds: float) -> Delivery:
    """Send once and read the answer, of any status; a redirect is not followed.

    `timeout_seconds` bounds the whole exchange. A failure of the network is a Delivery too: `sent` is False when the
    message certainly did not leave (no connection, no TLS, no certificate of ours).
    """
    try:
        context = await asyncio.to_thread(certificates.context, endpoint)
    except (OSError, ValueError) as failure:
        return _nothing(f"the certificate files cannot be used: {failure}", sent=False)
    try:
        async with (
            asyncio.timeout(timeout_seconds),
            client(endpoint, context, timeout_seconds) as caller,
            caller.stream("POST", endpoint.url, content=message) as response,
        ):
            return await _answer(response)
    except _NEVER_SENT as failure:
        return _nothing(f"no connection to the authority: {_failure_text(failure)}", sent=False)
    except (httpx2.HTTPError, TimeoutError, OSError) as failure:  # a TLS alert comes as it is, unwrapped
        return _nothing(f"the answer was lost: {_failure_text(failure)}", sent=True)


def unusable_certificate(endpoint: Endpoint) -> Text | str | None:
    """Explain why the configured certificate files cannot be used, in the words of the library; None if they can."""
    try:
        certificates.context(endpoint)
    except (OSError, ValueError) as failure:
        return reason_of(failure)
    return None


def reason_of(failure: Exception) -> Text | str:
    """Explain why a certificate cannot be used, in the words of the library that opened it."""
    return failure.text.message if isinstance(failure, UnusableCertificateError) else str(failure)


def client(endpoint: Endpoint, context: ssl.SSLContext, timeout_seconds: float) -> httpx2.AsyncClient:
    """Return an HTTP client that uses proxies of the environment, but never for the loopback authority."""
    loopback = httpx2.URL(endpoint.url).host in _LOOPBACK
    return httpx2.AsyncClient(
        verify=context,
        timeout=httpx2.Timeout(timeout_seconds, connect=min(CONNECT_SECONDS, timeout_seconds)),
        follow_redirects=False,
        headers=_HEADERS,
        trust_env=not loopback,
    )


async def _answer(response: httpx2.Response) -> Delivery:
    body, retry_after = bytearray(), _retry_after(response)
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            error = f"the answer was lost: it is larger than {MAX_ANSWER_BYTES} bytes"
            return Delivery(status=response.status_code, body=b"", error=error, retry_after=retry_after)
    return Delivery(status=response.status_code, body=bytes(body), retry_after=retry_after, said_at=said_at(response))


def said_at(response: httpx2.Response) -> datetime | None:
    """Return the time of an answer by the clock of its server; None where it is missing."""
    return _moment(response.headers.get("Date", ""))


def _retry_after(response: httpx2.Response) -> int | None:
    """Return the seconds of Retry-After, an hour at most: retries come at least hourly. Source: RFC 9110 10.2.3."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return min(int(value[:9]), MAX_RETRY_SECONDS)
    moment = _moment(value)
    return None if moment is None else min(max(0, round((moment - clock.now()).total_seconds())), MAX_RETRY_SECONDS)


def _moment(value: str) -> datetime | None:
    """Return the moment of an HTTP date, None for anything else. Source: RFC 9110 5.6.7."""
    try:
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo is not None else None


def _nothing(error: str, *, sent: bool) -> Delivery:
    return Delivery(status=None, body=b"", error=error, sent=sent)


def _failure_text(failure: Exception) -> str:
    return f"{type(failure).__name__} {failure}".strip()
