"""The channel `verifactu` as the country names it: light to import, and loaded as a whole at its first use.

A country must be cheap to import and load no HTTP client, while the channel needs one, cryptography, lxml and
pydantic-settings: together a third of a second. So two functions of this module import: one the whole channel, one the
reading of certificates alone, which is done in a process of its own each time.
"""

from collections.abc import Sequence
from datetime import date, datetime
from functools import cached_property
from typing import Protocol

from ledgerkit.providers.api import (
    Access,
    Annulling,
    Asking,
    Auditing,
    Certificate,
    Certifying,
    ConnectionTest,
    Declaring,
    Delivery,
    Document,
    Environment,
    Explanation,
    FieldProblem,
    FiscalChannel,
    Heading,
    Party,
    PastRecord,
    Place,
    QrBlock,
    Receipt,
    SandboxAccess,
    SealedRecord,
    Signing,
)
from ledgerkit.providers.es.verifactu import ChannelFacts


class _Loaded(FiscalChannel, Protocol):
    """A `VerifactuChannel` as this module sees it."""

    @property
    def certifies(self) -> Certifying: ...


class LazyChannel(ChannelFacts):
    """`FiscalChannel` that passes everything but its facts on to a `VerifactuChannel`."""

    @cached_property
    def loaded(self) -> _Loaded:
        """The channel itself."""
        from ledgerkit.providers.es.verifactu.channel import VerifactuChannel  # noqa: PLC0415 - loaded when needed

        return VerifactuChannel()

    @property
    def annuls(self) -> Annulling | None:
        return self.loaded.annuls

    @property
    def audits(self) -> Auditing | None:
        return self.loaded.audits

    @property
    def asks(self) -> Asking | None:
        return self.loaded.asks

    @property
    def signs(self) -> Signing | None:
        return self.loaded.signs

    @property
    def certifies(self) -> Certifying:
        return _LazyCertifying(self)

    @property
    def declares(self) -> Declaring | None:
        return self.loaded.declares

    def ready(self, environment: Environment, *, own_certificate: bool = False) -> Sequence[FieldProblem]:
        return self.loaded.ready(environment, own_certificate=own_certificate)

    def connect_sandbox(self, access: SandboxAccess) -> FiscalChannel:
        return self.loaded.connect_sandbox(access)

    def preflight(self, document: Document, today: date) -> Sequence[FieldProblem]:
        return self.loaded.preflight(document, today)

    def seal(self, document: Document, place: Place, earlier_records: Sequence[PastRecord] = ()) -> SealedRecord:
        return self.loaded.seal(document, place, earlier_records)

    def message(self, heading: Heading, contents: Sequence[bytes]) -> bytes:
        return self.loaded.message(heading, contents)

    async def deliver(
        self, message: bytes, environment: Environment, *, timeout_seconds: float, access: Access | None = None
    ) -> Delivery:
        return await self.loaded.deliver(message, environment, timeout_seconds=timeout_seconds, access=access)

    def read(self, delivery: Delivery, records: Sequence[tuple[str, date]]) -> Receipt:
        return self.loaded.read(delivery, records)

    def explain(self, code: str) -> Explanation | None:
        return self.loaded.explain(code)

    def qr_block(self, qr_url: str | None = None) -> QrBlock:
        return self.loaded.qr_block(qr_url)


class _LazyCertifying:
    """`Certifying` that reads a certificate without loading the channel."""

    def __init__(self, channel: LazyChannel) -> None:
        self._channel = channel

    def read(self, access: Access, at: datetime) -> Certificate:
        from ledgerkit.providers.es.verifactu import credentials  # noqa: PLC0415 - loaded when needed

        return credentials.read(access, at)

    def operators(self, environment: Environment) -> Certificate | None:
        return self._channel.loaded.certifies.operators(environment)

    def representative(self) -> Party | None:
        return self._channel.loaded.certifies.representative()

    def of_another(self, environment: Environment, issuer_tax_id: str) -> FieldProblem | None:
        return self._channel.loaded.certifies.of_another(environment, issuer_tax_id)

    def self_signed(self, environment: Environment, access: Access | None = None) -> FieldProblem | None:
        return self._channel.loaded.certifies.self_signed(environment, access)

    async def test(
        self, environment: Environment, *, timeout_seconds: float, access: Access | None = None
    ) -> ConnectionTest:
        return await self._channel.loaded.certifies.test(environment, timeout_seconds=timeout_seconds, access=access)
