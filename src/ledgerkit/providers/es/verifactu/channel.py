"""The channel `verifactu`: what core calls. Light to import; see `lazy_import` for the one exception."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime

from ledgerkit.providers.api import (
    Access,
    Annulling,
    Anomaly,
    Answer,
    Asking,
    Auditing,
    Certifying,
    ChainLink,
    Declaring,
    Delivery,
    Document,
    Environment,
    Explanation,
    FieldProblem,
    Heading,
    KeptRecord,
    PastRecord,
    Place,
    QrBlock,
    Question,
    Receipt,
    RecordAmounts,
    SandboxAccess,
    SealedRecord,
    Signing,
)
from ledgerkit.providers.es.verifactu import blocks, corrections, qr, record, xml
from ledgerkit.providers.es.verifactu.annulment import VerifactuAnnulling
from ledgerkit.providers.es.verifactu.finishing import CHANNEL, VERSION, finished
from ledgerkit.providers.es.verifactu.lazy_import import delivered, lazy_import
from ledgerkit.providers.es.verifactu.messages import VerifactuMsg
from ledgerkit.providers.es.verifactu.setup import Endpoint, Setup, Software
from ledgerkit.providers.es.verifactu.showing import VerifactuCertifying, VerifactuDeclaring
from ledgerkit.providers.es.verifactu.signed_mode.signing_mode import VerifactuSigning

MAX_BATCH = 1000

_Needed = tuple[Sequence[FieldProblem], Endpoint | None]


class _Questions:
    """`Asking` of the AEAT's service."""

    def message(self, heading: Heading, question: Question) -> bytes:
        content: bytes = lazy_import("querying").message(heading, question)
        return content

    def read(self, delivery: Delivery) -> Answer:
        answer: Answer = lazy_import("querying").read(delivery)
        return answer


class _Audits:
    """`Auditing`, loaded at its first use."""

    def audit(
        self, records: Iterable[KeptRecord], before: ChainLink | None, now: datetime, head: ChainLink | None = None
    ) -> Iterator[Anomaly]:
        anomalies: Iterator[Anomaly] = lazy_import("auditing").audit(records, before, now, head)
        return anomalies

    def amounts(self, content: bytes) -> RecordAmounts:
        amounts_of_record: RecordAmounts = lazy_import("auditing").amounts(content)
        return amounts_of_record

    def continues(self, link: ChainLink, today: date) -> Sequence[FieldProblem]:
        problems: Sequence[FieldProblem] = lazy_import("auditing").continues(link, today)
        return problems


class VerifactuChannel:
    """`FiscalChannel` of the AEAT's VERI*FACTU service. Without `setup` the environment variables are read once."""

    id = CHANNEL
    version = VERSION
    title = "VERI*FACTU (AEAT)"
    max_batch = MAX_BATCH
    chained = True
    mere_notices = frozenset({"2004", "2009"})
    """Notices only: the clock differed; an IPSI line has no regime. Source: AEAT, web service description 1.0.3."""
    annuls: Annulling | None
    audits: Auditing | None = _Audits()
    asks: Asking | None = _Questions()
    signs: Signing | None
    certifies: Certifying | None
    declares: Declaring | None

    def __init__(self, setup: Setup | None = None, sandbox: SandboxAccess | None = None) -> None:
        self._setup = setup
        self._sandbox = sandbox
        self._asked: dict[tuple[Environment, bool], _Needed] = {}
        self.signs = VerifactuSigning(self._configured, self._endpoint, sandbox)
        self.certifies = self._certifying = VerifactuCertifying(self._configured, self._endpoint)
        self.declares = self._declaring = VerifactuDeclaring(self._configured)
        self.annuls = VerifactuAnnulling(self._software)

    def ready(self, environment: Environment, *, own_certificate: bool = False) -> Sequence[FieldProblem]:
        """List wrong or unset variables by name, and a needed certificate of the operator's that is unusable.

        In production also what the declaration of responsibility lacks: nothing real is issued without it.
        """
        if wrong := self._wrong():
            return wrong
        missing, endpoint = self._needed(environment, own_certificate=own_certificate)
        named = {one.field for one in missing}
        undeclared = [one for one in self._declaring.lacking(environment) if one.field not in named]
        if endpoint is None or own_certificate or environment is Environment.SANDBOX:
            return [*missing, *undeclared]
        return [*missing, *undeclared, *self._unusable(environment, endpoint)]

    def connect_sandbox(self, access: SandboxAccess) -> "VerifactuChannel":
        return VerifactuChannel(self._setup, access)

    def preflight(self, document: Document, today: date) -> Sequence[FieldProblem]:
        problems: Sequence[FieldProblem] = lazy_import("rules").preflight(document, today)
        return problems

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
        return finished(place, name, document.issue_date, kind="issue", written=written, flags=flags, qr_url=qr_url)

    def message(self, heading: Heading, contents: Sequence[bytes]) -> bytes:
        if not 1 <= len(contents) <= MAX_BATCH:
            msg = f"a message carries 1 to {MAX_BATCH} records, not {len(contents)}"
            raise ValueError(msg)
        wrapped = xml.envelope if heading.request is None else xml.quiet_envelope
        return wrapped(blocks.header(heading), contents)

    async def deliver(
        self, message: bytes, environment: Environment, *, timeout_seconds: float, access: Access | None = None
    ) -> Delivery:
        return await delivered(message, self._endpoint, environment, access, timeout_seconds=timeout_seconds)

    def read(self, delivery: Delivery, records: Sequence[tuple[str, date]]) -> Receipt:
        receipt: Receipt = lazy_import("answers").read(delivery, records)
        return receipt

    def explain(self, code: str) -> Explanation | None:
        explanation: Explanation | None = lazy_import("codes").explain(code)
        return explanation

    def qr_block(self, qr_url: str | None = None) -> QrBlock:
        return qr.block(qr_url)

    def _unusable(self, environment: Environment, endpoint: Endpoint) -> Sequence[FieldProblem]:
        """List the problem of the operator's certificate that cannot be used, or that no authority vouches for."""
        reason: object = lazy_import("transport").unusable_certificate(endpoint)
        if reason is not None:
            message = VerifactuMsg.CERTIFICATE_FILES_UNUSABLE
            return [FieldProblem.of("LEDGERKIT_VERIFACTU_CERT_FILE", "CERTIFICATE_UNUSABLE", message, reason=reason)]
        self_signed = self._certifying.self_signed(environment)
        return [] if self_signed is None else [self_signed]

    def _configured(self) -> Setup:
        """Return the operator's configuration, read at the first use."""
        if self._setup is None:
            settings: Setup = lazy_import("settings").NamedFilesSettings()
            self._setup = settings
        return self._setup

    def _wrong(self) -> Sequence[FieldProblem]:
        """List the problems that keep the configuration from being read at all."""
        try:
            self._configured()
        except ValueError as error:
            problems: Sequence[FieldProblem] = lazy_import("settings").wrong(error)
            return problems
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
            issuer_access
            if issuer_access is not None and lazy_import("certificates").is_of(issuer_access, access.ca_file)
            else None
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
