"""What the operator configures, as plain values: who produced this software and how the authority is reached."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ledgerkit.providers.api import Environment, FieldProblem


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
    """Where messages go and with which certificates.

    `ca_file` None means the machine's trust store. `certificate_file` is PEM (certificate and key) or PKCS#12;
    `password` opens it.
    """

    url: str
    ca_file: Path | None
    certificate_file: Path | None
    password: str | None


class Setup(Protocol):
    """The configuration a channel works with; `settings.VerifactuSettings` reads it from the environment."""

    @property
    def keeps(self) -> bool:
        """Whether issuers may have their records signed and kept instead of reported."""
        ...

    def software(self, environment: Environment) -> Software:
        """Who is named in every record. Raises Internal while `missing` says it is not configured."""
        ...

    def endpoint(self, environment: Environment) -> Endpoint | None:
        """Where to send; None when nothing is configured for `environment`."""
        ...

    def missing(self, environment: Environment) -> Sequence[FieldProblem]:
        """What still has to be configured; `field` is the variable's name."""
        ...
