"""Configuration of the operator as plain values: the software's producer and the way to the authority."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Protocol

from ledgerkit.providers.api import Access, Environment, FieldProblem, Party


@dataclass(frozen=True, kw_only=True)
class Software:
    """The fixed part of SistemaInformatico: the producer and the product. Texts within the schema's lengths.

    `only_reporting`: the product can only report at once, and not keep signed records instead.
    """

    producer_name: str
    producer_tax_id: str
    system_name: str
    system_id: str
    version: str
    only_reporting: bool = True


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Destination of messages, with its certificates.

    `ca_file` None means the machine's trust store. `certificate_file` is PEM (certificate and key) or PKCS#12;
    `password` opens it. `issuer_access` holds an issuer's certificate, which is shown instead.
    """

    url: str
    ca_file: Path | None
    certificate_file: Path | None
    password: str | None = field(repr=False)
    issuer_access: Access | None = None


@dataclass(frozen=True, kw_only=True)
class ProducerFacts:
    """Facts about the producer that only the declaration of responsibility needs; None where not configured."""

    address: str | None
    contact: str | None
    web: str | None
    components: str | None
    place: str | None
    signed_on: date | None


@dataclass(frozen=True, kw_only=True)
class LegalDates:
    """Dates from which the law obliges, where the operator knows better than this version, and announced changes."""

    companies: date | None
    others: date | None
    announced: str | None


class Endpoints(Protocol):
    """Destinations of messages by environment, with the issuer's own certificate or the operator's."""

    def __call__(self, environment: Environment, issuer_access: Access | None = None) -> Endpoint | None: ...


class Setup(Protocol):
    """The configuration a channel works with; `settings.VerifactuSettings` reads it from the environment."""

    @property
    def signs(self) -> bool:
        """Return True when issuers may have their records signed and kept instead of reported."""
        ...

    def software(self, environment: Environment) -> Software:
        """Return the software named in every record. Raises Internal while `missing` lists it as not configured."""
        ...

    def endpoint(self, environment: Environment, issuer_access: Access | None = None) -> Endpoint | None:
        """Return the destination, with the issuer's certificate or the operator's; None if it is not configured."""
        ...

    def missing(self, environment: Environment, *, own_certificate: bool = False) -> Sequence[FieldProblem]:
        """List the settings that are still missing; `field` is the variable's name."""
        ...

    def representative(self) -> Party | None:
        """Name the holder of the operator's certificate, when it reports in the name of others."""
        ...

    def producer_facts(self) -> ProducerFacts:
        """Facts about the producer for the declaration of responsibility."""
        ...

    def dates(self) -> LegalDates:
        """Dates from which the law obliges, as configured."""
        ...
