"""What is shown to the authority and to whoever asks: certificates, and the papers about this software."""

from collections.abc import Callable, Sequence
from datetime import datetime

from ledgerkit import clock
from ledgerkit.providers.api import (
    Access,
    Certificate,
    ConnectionTest,
    Declaration,
    Environment,
    FieldProblem,
    Obligation,
    Party,
)
from ledgerkit.providers.es.verifactu.late import late
from ledgerkit.providers.es.verifactu.setup import Endpoint, Endpoints, Setup

_ANOTHER = "Upload the certificate again, with PUT /api/einvoice/certificate."
_WITHIN_SERVE = "The sandbox authority runs inside `ledgerkit serve`: start that, and try again."


class VerifactuCertifying:
    """`Certifying` by this channel's configuration."""

    def __init__(self, configured: Callable[[], Setup], endpoint: Endpoints) -> None:
        self._configured, self._endpoint = configured, endpoint

    def read(self, access: Access, at: datetime) -> Certificate:
        found: Certificate = late("credentials").read(access, at)
        return found

    def operators(self, environment: Environment) -> Certificate | None:
        endpoint = self._configured().endpoint(environment)
        found: Certificate | None = late("certificates").operators(endpoint) if endpoint else None
        return found

    def representative(self) -> Party | None:
        return self._configured().representative()

    async def test(
        self, environment: Environment, *, timeout_seconds: float, access: Access | None = None
    ) -> ConnectionTest:
        try:
            endpoint = self._endpoint(environment, access)
        except ValueError as failure:
            return _stopped("CERTIFICATE_UNUSABLE", f"the certificate cannot be used: {failure}", _ANOTHER)
        if endpoint is None:
            return _stopped("NO_SERVICE", f"no service can be reached from here for {environment}", _WITHIN_SERVE)
        tested: ConnectionTest = await late("connection").test(
            endpoint, _shown(endpoint, environment), timeout_seconds=timeout_seconds
        )
        return tested


class VerifactuDeclaring:
    """`Declaring` by this channel's configuration."""

    def __init__(self, configured: Callable[[], Setup]) -> None:
        self._configured = configured

    def declaration(self, environment: Environment) -> Declaration | Sequence[FieldProblem]:
        today = clock.today("Europe/Madrid")
        found: Declaration | Sequence[FieldProblem] = late("declaring").declaration(
            self._configured(), environment, today
        )
        return found

    def obligations(self) -> Sequence[Obligation]:
        found: Sequence[Obligation] = late("obligations").obligations(self._configured().dates())
        return found


def _shown(endpoint: Endpoint, environment: Environment) -> str | None:
    if endpoint.own is not None:
        return "own"
    if environment is Environment.SANDBOX:
        return "sandbox"
    return None if endpoint.certificate_file is None else "operator"


def _stopped(code: str, message: str, remedy: str) -> ConnectionTest:
    """A test that ended before it began."""
    return ConnectionTest(
        host="",
        certificate=None,
        reachable=False,
        server_verified=None,
        certificate_accepted=None,
        http_status=None,
        milliseconds=0,
        problem=FieldProblem(field="certificate", code=code, message=message, remedy=remedy),
    )
