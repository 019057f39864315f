"""NO VERI*FACTU: records are signed and stored, with an event log, and sent only when the AEAT requests them.

Source: RD 1007/2023, art. 8 and 9; Orden HAC/1177/2024, art. 6 to 9 and 14; AEAT, web service description 1.0.3.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from types import MappingProxyType

from ledgerkit.problems import Internal
from ledgerkit.providers.api import (
    SETTING_MISSING,
    Access,
    Anomaly,
    AuditedEvent,
    Delivery,
    Environment,
    Event,
    EventLink,
    EventPlace,
    FieldProblem,
    Mode,
    SandboxAccess,
    SealedEvent,
    Signer,
)
from ledgerkit.providers.es.verifactu import transport
from ledgerkit.providers.es.verifactu.setup import Endpoint, Endpoints, Setup
from ledgerkit.providers.es.verifactu.signed_mode import event_audit, keys, signatures, signing
from ledgerkit.providers.es.verifactu.signed_mode import events as event_records
from ledgerkit.providers.es.verifactu.signed_mode.messages import SigningMsg
from ledgerkit.providers.es.verifactu.xml import NO_DEFAULT

_SETTING = "LEDGERKIT_VERIFACTU_SIGNED_MODE"
_CERTIFICATE = "LEDGERKIT_VERIFACTU_CERT_FILE"
_SERVICE, _ON_REQUEST = "VerifactuSOAP", "RequerimientoSOAP"


class VerifactuSigning:
    """`Signing` of the AEAT's records and events."""

    names: Mapping[Mode, str] = MappingProxyType({Mode.REPORTING: "verifactu", Mode.SIGNING: "no_verifactu"})

    def __init__(
        self,
        configured: Callable[[], Setup],
        endpoint: Endpoints,
        sandbox: SandboxAccess | None,
    ) -> None:
        self._configured, self._endpoint, self._sandbox = configured, endpoint, sandbox

    def ready(self, environment: Environment, access: Access | None = None) -> Sequence[FieldProblem]:
        if not self._configured().signs:
            return [FieldProblem.of(_SETTING, SETTING_MISSING, SigningMsg.SWITCHED_OFF, setting=_SETTING)]
        try:
            self._key(environment, access)
        except (OSError, ValueError) as failure:
            return [FieldProblem.of(_CERTIFICATE, "CERTIFICATE_UNUSABLE", SigningMsg.KEY_UNUSABLE, reason=failure)]
        return []

    def signer(self, environment: Environment, access: Access | None = None) -> Signer:
        problems = self.ready(environment, access)
        if problems:
            first = problems[0]
            raise Internal(first.text)
        return self._key(environment, access)

    def leaves_reporting(self, today: date) -> date:
        """Return the last day of VERI*FACTU, which lasts at least to the end of the year (RD 1007/2023, art. 16.3)."""
        return date(today.year, 12, 31)

    def sign(self, content: bytes, signer: Signer, at: datetime, *, inside: str | None = None) -> bytes:
        """Return `content`, which declares one prefix, with its signature."""
        without_default = content.replace(b" xmlns:", NO_DEFAULT + b" xmlns:", 1)
        return signing.sign(without_default, signer, at, inside=inside)

    def check(self, position: int, content: bytes) -> Anomaly | None:
        try:
            signatures.verify(content, exact=True)
        except signatures.SignatureError as failure:
            text = f"Its signature does not hold: {failure}."
            return Anomaly(position=position, kind="signature", code="02", message=text)
        return None

    def log(self, event: Event, place: EventPlace) -> SealedEvent:
        """Return the signed event.

        Raises ValueError without a signer, for an issuer without NIF, and for an instant without offset.
        """
        signer = place.installation.signer
        if signer is None or place.at.utcoffset() is None:
            msg = "an event is signed, at an instant with its UTC offset"
            raise ValueError(msg)
        at = place.at.replace(microsecond=0)
        software = self._configured().software(place.environment)
        code, fingerprint, content = event_records.record(event, place, software, at)
        return SealedEvent(
            kind=event.kind,
            code=code,
            content=self.sign(content, signer, at, inside="Evento"),
            fingerprint=fingerprint,
            generated_at=at,
        )

    def audit(
        self, events: Iterable[AuditedEvent], before: EventLink | None, now: datetime, head: AuditedEvent | None = None
    ) -> Iterator[Anomaly]:
        return event_audit.audit(events, before, now, head)

    async def submit_on_request(
        self, message: bytes, environment: Environment, *, timeout_seconds: float, access: Access | None = None
    ) -> Delivery:
        return await transport.deliver_to(
            message, self._on_request, environment, access, timeout_seconds=timeout_seconds
        )

    def _on_request(self, environment: Environment, issuer_access: Access | None = None) -> Endpoint | None:
        """Endpoint for the answers to requests of the authority."""
        endpoint = self._endpoint(environment, issuer_access)
        return endpoint and replace(endpoint, url=endpoint.url.replace(_SERVICE, _ON_REQUEST))

    def _key(self, environment: Environment, access: Access | None) -> Signer:
        """Return the key of the account's certificate, or of the operator's. Raises OSError, ValueError."""
        if access is not None:
            return keys.account_signer(access)
        if environment is Environment.SANDBOX and self._sandbox is not None:
            file, password = self._sandbox.signer_file, None
        else:
            endpoint = self._endpoint(environment)
            file, password = (endpoint.certificate_file, endpoint.password) if endpoint else (None, None)
        if file is None:
            msg = "no certificate is set"
            raise ValueError(msg)
        return keys.file_signer(file, password)
