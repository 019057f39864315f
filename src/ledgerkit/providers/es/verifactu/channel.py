"""The channel `verifactu` with all that it works with; a country names it as `LazyChannel`."""

from collections.abc import Sequence
from datetime import date

from pydantic import ValidationError

from ledgerkit.providers.api import (
    Access,
    Delivery,
    Document,
    Environment,
    Explanation,
    FieldProblem,
    Heading,
    PastRecord,
    Place,
    QrBlock,
    Receipt,
    SandboxAccess,
    SealedRecord,
)
from ledgerkit.providers.es.verifactu import (
    ChannelFacts,
    answers,
    blocks,
    certificates,
    codes,
    corrections,
    qr,
    querying,
    record,
    rules,
    settings,
    transport,
    xml,
)
from ledgerkit.providers.es.verifactu.annulment import VerifactuAnnulling
from ledgerkit.providers.es.verifactu.auditing import VerifactuAuditing
from ledgerkit.providers.es.verifactu.blocks import RecordSigning, finished
from ledgerkit.providers.es.verifactu.messages import VerifactuMsg
from ledgerkit.providers.es.verifactu.setup import Endpoint, Setup, Software
from ledgerkit.providers.es.verifactu.showing import VerifactuCertifying, VerifactuDeclaring
from ledgerkit.providers.es.verifactu.signed_mode.signing_mode import VerifactuSigning

_Needed = tuple[Sequence[FieldProblem], Endpoint | None]


class VerifactuChannel(ChannelFacts):
    """`FiscalChannel` of the AEAT's VERI*FACTU service. Without `setup` the environment variables are read once."""

    asks = querying
    signs: RecordSigning | None = None

    def __init__(self, setup: Setup | None = None, sandbox: SandboxAccess | None = None) -> None:
        self._setup = setup
        self._sandbox = sandbox
        self._asked: dict[tuple[Environment, bool], _Needed] = {}
        self.signs = VerifactuSigning(self._configured, self._endpoint, sandbox)
        self.certifies = VerifactuCertifying(self._configured, self._endpoint)
        self.declares = VerifactuDeclaring(self._configured)
        self.annuls = VerifactuAnnulling(self._software, self.signs)
        self.audits = VerifactuAuditing(self.signs)

    def ready(self, environment: Environment, *, own_certificate: bool = False) -> Sequence[FieldProblem]:
        """List wrong or unset variables by name, and a needed certificate of the operator's that is unusable.

        In production also what the declaration of responsibility lacks: nothing real is issued without it.
        """
        if wrong := self._wrong():
            return wrong
        missing, endpoint = self._needed(environment, own_certificate=own_certificate)
        named = {obstacle.field for obstacle in missing}
        undeclared = [obstacle for obstacle in self.declares.lacking(environment) if obstacle.field not in named]
        if endpoint is None or own_certificate or environment is Environment.SANDBOX:
            return [*missing, *undeclared]
        return [*missing, *undeclared, *self._unusable(environment, endpoint)]

    def connect_sandbox(self, access: SandboxAccess) -> "VerifactuChannel":
        return VerifactuChannel(self._setup, access)

    def preflight(self, document: Document, today: date) -> Sequence[FieldProblem]:
        return rules.preflight(document, today)

    def seal(self, document: Document, place: Place, earlier_records: Sequence[PastRecord] = ()) -> SealedRecord:
        """Seal a document; pure. `place.at` must be aware; the authority takes no fraction of its second.

        With `earlier_records` the record says of itself what it corrects (see `corrections`); number, date and QR stay.
        Raises Internal when the producer is not configured for the environment (`ready` says so before), ValueError
        for an issuer or number that preflight refuses.
        """
        place = blocks.at_whole_second(place)
        flags = corrections.choose("issue", earlier_records, reported=place.installation.signer is None)
        content, literals = record.issue(document, place, self._software(place), flags)
        name = literals.name
        qr_url = qr.url(
            place.environment,
            issuer=name.issuer,
            number=name.number,
            issue_date=name.issue_date,
            gross_total=literals.gross_total,
            unsent=place.installation.signer is not None,
        )
        written = content, literals.fingerprint
        return finished(
            place,
            name,
            document.issue_date,
            kind="issue",
            written=written,
            flags=flags,
            signs=self.signs,
            qr_url=qr_url,
        )

    def message(self, heading: Heading, contents: Sequence[bytes]) -> bytes:
        if not 1 <= len(contents) <= self.max_batch:
            msg = f"a message carries 1 to {self.max_batch} records, not {len(contents)}"
            raise ValueError(msg)
        wrapped = xml.envelope if heading.request is None else xml.quiet_envelope
        return wrapped(blocks.header(heading), contents)

    async def deliver(
        self, message: bytes, environment: Environment, *, timeout_seconds: float, access: Access | None = None
    ) -> Delivery:
        return await transport.deliver_to(message, self._endpoint, environment, access, timeout_seconds=timeout_seconds)

    def read(self, delivery: Delivery, records: Sequence[tuple[str, date]]) -> Receipt:
        return answers.read(delivery, records)

    def explain(self, code: str) -> Explanation | None:
        return codes.explain(code)

    def qr_block(self, qr_url: str | None = None) -> QrBlock:
        return qr.block(qr_url)

    def _unusable(self, environment: Environment, endpoint: Endpoint) -> Sequence[FieldProblem]:
        """List the problem of the operator's certificate that cannot be used, or that no authority vouches for."""
        reason = transport.unusable_certificate(endpoint)
        if reason is not None:
            message = VerifactuMsg.CERTIFICATE_FILES_UNUSABLE
            return [FieldProblem.of("LEDGERKIT_VERIFACTU_CERT_FILE", "CERTIFICATE_UNUSABLE", message, reason=reason)]
        self_signed = self.certifies.self_signed(environment)
        return [] if self_signed is None else [self_signed]

    def _configured(self) -> Setup:
        """Return the operator's configuration, read at the first use."""
        if self._setup is None:
            self._setup = settings.NamedFilesSettings()
        return self._setup

    def _wrong(self) -> Sequence[FieldProblem]:
        """List the problems that keep the configuration from being read at all."""
        try:
            self._configured()
        except ValidationError as error:
            return settings.wrong(error)
        return ()

    def _needed(
        self, environment: Environment, *, own_certificate: bool
    ) -> tuple[Sequence[FieldProblem], Endpoint | None]:
        """Return the missing settings and the operator's endpoint; cached, since the configuration is read once."""
        key = environment, own_certificate
        if key not in self._asked:
            missing = self._configured().missing(environment, own_certificate=own_certificate)
            self._asked[key] = tuple(missing), self._endpoint(environment)
        return self._asked[key]

    def _endpoint(self, environment: Environment, issuer_access: Access | None = None) -> Endpoint | None:
        """Return the destination of messages, with the issuer's own certificate (`issuer_access`) or the operator's.

        The sandbox trusts nobody but itself: a certificate of another authority is kept for later, and not shown to it.
        Raises ValueError for an issuer's certificate that cannot be read.
        """
        if environment is not Environment.SANDBOX or self._sandbox is None:
            return self._configured().endpoint(environment, issuer_access)
        access = self._sandbox
        shown_access = (
            issuer_access if issuer_access is not None and certificates.is_of(issuer_access, access.ca_file) else None
        )
        return Endpoint(
            url=access.url,
            ca_file=access.ca_file,
            certificate_file=access.certificate_file,
            password=None,
            issuer_access=shown_access,
        )

    def _software(self, place: Place) -> Software:
        return self._configured().software(place.environment)
