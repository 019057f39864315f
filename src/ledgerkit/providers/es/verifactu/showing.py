"""Information for the authority and for users: certificates, and statements about this software."""

from collections.abc import Callable, Sequence
from datetime import datetime

from ledgerkit import clock
from ledgerkit.problems import Words
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
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.verifactu.lazy_import import lazy_import
from ledgerkit.providers.es.verifactu.setup import Endpoint, Endpoints, Setup
from ledgerkit.providers.es.verifactu.wording import problem

_ANOTHER = "Upload the certificate again, with PUT /api/einvoice/certificate."
_NAME, _TAX_ID = (f"LEDGERKIT_VERIFACTU_REPRESENTATIVE_{last}" for last in ("NAME", "TAX_ID"))
_OF_ANOTHER: Words = (
    f"the server's certificate is not that of the issuer, and {_TAX_ID} is not set",
    (
        "Upload the issuer's own (PUT /api/einvoice/certificate); or, if the holder of the server's has powers to "
        f"report for the issuer, have the operator set {_NAME} and {_TAX_ID}."
    ),
)
_ES_DE_OTRO: Words = (
    f"el certificado del servidor no es el del emisor, y no se ha indicado {_TAX_ID}",
    (
        "Sube el del emisor (PUT /api/einvoice/certificate); o, si el titular del del servidor está apoderado para "
        f"remitir por el emisor, pide al operador que indique {_NAME} y {_TAX_ID}."
    ),
)
_WITHIN_SERVE = "The sandbox authority runs inside `ledgerkit serve`: start that, and try again."


class VerifactuCertifying:
    """`Certifying` by this channel's configuration."""

    def __init__(self, configured: Callable[[], Setup], endpoint: Endpoints) -> None:
        self._configured, self._endpoint = configured, endpoint

    def read(self, access: Access, at: datetime) -> Certificate:
        found: Certificate = lazy_import("credentials").read(access, at)
        return found

    def operators(self, environment: Environment) -> Certificate | None:
        endpoint = self._configured().endpoint(environment)
        found: Certificate | None = lazy_import("certificates").operators(endpoint) if endpoint else None
        return found

    def representative(self) -> Party | None:
        return self._configured().representative()

    def of_another(self, environment: Environment, issuer_tax_id: str) -> FieldProblem | None:
        """Nobody checks in the sandbox; nor elsewhere, in the test service's stead, one that names no NIF.

        Source: AEAT, list of errors, 4112: the holder is the issuer, or somebody who acts for it and says so.
        """
        found = None if environment is Environment.SANDBOX else self.operators(environment)
        if found is None or self.representative() is not None:
            return None
        holder = found.holder.tax_id
        theirs = environment is Environment.TEST if holder is None else holder == tax_ids.spanish(issuer_tax_id)
        if theirs:
            return None
        return problem(_TAX_ID, "CERTIFICATE_OF_ANOTHER", _OF_ANOTHER, _ES_DE_OTRO)

    async def test(
        self, environment: Environment, *, timeout_seconds: float, access: Access | None = None
    ) -> ConnectionTest:
        try:
            endpoint = self._endpoint(environment, access)
        except ValueError as failure:
            return _stopped("CERTIFICATE_UNUSABLE", f"the certificate cannot be used: {failure}", _ANOTHER)
        if endpoint is None:
            return _stopped("NO_SERVICE", f"no service can be reached from here for {environment}", _WITHIN_SERVE)
        tested: ConnectionTest = await lazy_import("connection").test(
            endpoint, _shown(endpoint, environment), timeout_seconds=timeout_seconds
        )
        return tested


class VerifactuDeclaring:
    """`Declaring` by this channel's configuration."""

    def __init__(self, configured: Callable[[], Setup]) -> None:
        self._configured = configured

    def declaration(self, environment: Environment) -> Declaration | Sequence[FieldProblem]:
        today = clock.today("Europe/Madrid")
        found: Declaration | Sequence[FieldProblem] = lazy_import("declaring").declaration(
            self._configured(), environment, today
        )
        return found

    def obligations(self) -> Sequence[Obligation]:
        found: Sequence[Obligation] = lazy_import("obligations").obligations(self._configured().dates())
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
