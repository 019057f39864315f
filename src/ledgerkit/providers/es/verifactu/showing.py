"""Information for the authority and for users: certificates, and statements about this software."""

from collections.abc import Callable, Sequence
from datetime import date, datetime

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
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.verifactu import (
    PREFIX,
    certificates,
    connection,
    credentials,
    declaring,
    obligations,
    transport,
)
from ledgerkit.providers.es.verifactu.messages import VerifactuMsg
from ledgerkit.providers.es.verifactu.setup import Endpoint, Endpoints, Setup

_CERTIFICATE = f"{PREFIX}CERT_FILE"
_NAME, _TAX_ID = f"{PREFIX}REPRESENTATIVE_NAME", f"{PREFIX}REPRESENTATIVE_TAX_ID"


class VerifactuCertifying:
    """`Certifying` by this channel's configuration."""

    def __init__(self, configured: Callable[[], Setup], endpoint: Endpoints) -> None:
        self._configured, self._endpoint = configured, endpoint

    def read(self, access: Access, at: datetime) -> Certificate:
        return credentials.read(access, at)

    def operators(self, environment: Environment) -> Certificate | None:
        endpoint = self._configured().endpoint(environment)
        return certificates.operators(endpoint) if endpoint else None

    def representative(self) -> Party | None:
        return self._configured().representative()

    def self_signed(self, environment: Environment, access: Access | None = None) -> FieldProblem | None:
        certificate = self.operators(environment) if access is None else None
        shown = access if certificate is None else Access(certificate=certificate.content)
        holder = None if shown is None else credentials.self_signed_by(shown)
        if holder is None:
            return None
        field = "certificate" if certificate is None else _CERTIFICATE
        message = VerifactuMsg.CERTIFICATE_SELF_SIGNED
        return FieldProblem.of(field, "CERTIFICATE_SELF_SIGNED", message, holder=holder, variable=_CERTIFICATE)

    def of_another(self, environment: Environment, issuer_tax_id: str) -> FieldProblem | None:
        """Problem of another holder's certificate; none in the sandbox, nor without a NIF in the test service.

        Source: AEAT, list of errors, 4112: the holder is the issuer, or somebody who acts for it and says so.
        """
        certificate = None if environment is Environment.SANDBOX else self.operators(environment)
        if certificate is None or self.representative() is not None:
            return None
        holder = certificate.holder.tax_id
        is_theirs = environment is Environment.TEST if holder is None else holder == tax_ids.spanish(issuer_tax_id)
        if is_theirs:
            return None
        return FieldProblem.of(_TAX_ID, "CERTIFICATE_OF_ANOTHER", VerifactuMsg.CERTIFICATE_OF_ANOTHER, name=_NAME)

    async def test(
        self, environment: Environment, *, timeout_seconds: float, access: Access | None = None
    ) -> ConnectionTest:
        try:
            endpoint = self._endpoint(environment, access)
        except ValueError as failure:
            reason = transport.reason_of(failure)
            message = VerifactuMsg.STORED_CERTIFICATE_UNUSABLE
            return _stopped(FieldProblem.of("certificate", "CERTIFICATE_UNUSABLE", message, reason=reason))
        if endpoint is None:
            problem = FieldProblem.of("certificate", "NO_SERVICE", VerifactuMsg.NO_SERVICE, environment=environment)
            return _stopped(problem)
        self_signed = None if environment is Environment.SANDBOX else self.self_signed(environment, access)
        if self_signed is not None:
            return _stopped(self_signed)
        return await connection.test(endpoint, _shown(endpoint, environment), timeout_seconds=timeout_seconds)


class VerifactuDeclaring:
    """`Declaring` by this channel's configuration."""

    def __init__(self, configured: Callable[[], Setup]) -> None:
        self._configured = configured

    def declaration(self, environment: Environment) -> Declaration | Sequence[FieldProblem]:
        return declaring.declaration(self._configured(), environment, _today())

    def lacking(self, environment: Environment) -> Sequence[FieldProblem]:
        """List what the declaration lacks where it is demanded: in production (RD 1007/2023, art. 13)."""
        if environment is not Environment.PRODUCTION:
            return ()
        return declaring.lacking(self._configured(), _today())

    def obligations(self) -> Sequence[Obligation]:
        return obligations.obligations(self._configured().dates())

    def obligation_of(self, issuer: Party) -> Obligation | None:
        return obligations.obligation_of(issuer, self._configured().dates())


def _today() -> date:
    return clock.today("Europe/Madrid")


def _shown(endpoint: Endpoint, environment: Environment) -> str | None:
    if endpoint.issuer_access is not None:
        return "own"
    if environment is Environment.SANDBOX:
        return "sandbox"
    return None if endpoint.certificate_file is None else "operator"


def _stopped(problem: FieldProblem) -> ConnectionTest:
    """Result of a test that ended before it began."""
    return ConnectionTest(
        host="",
        certificate=None,
        reachable=False,
        server_verified=None,
        certificate_accepted=None,
        http_status=None,
        milliseconds=0,
        problem=problem,
    )
