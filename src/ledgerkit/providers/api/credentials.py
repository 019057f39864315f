"""Client certificates: their contents, and whether an authority lets their holder in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ledgerkit.providers.api.documents import Party
from ledgerkit.providers.api.records import FieldProblem
from ledgerkit.texts import MessageId, Wording, problem_text


@dataclass(frozen=True, kw_only=True)
class Access:
    """Client certificate with its key, PEM or PKCS#12; `seal`: it is an entity's and not a person's."""

    certificate: bytes = field(repr=False)
    password: str | None = field(default=None, repr=False)
    seal: bool = False


class UnusableCertificateError(ValueError):
    """Certificate that cannot be used, with the reason and the next step; `code` is stable."""

    def __init__(self, code: str, message: MessageId, /, **values: object) -> None:
        super().__init__(message)
        self.code = code
        self.text = problem_text(message, values)

    def __str__(self) -> str:
        return self.message

    @property
    def message(self) -> str:
        """The reason, in English."""
        return self.text.wording().message

    @property
    def remedy(self) -> str:
        """The next step, in English."""
        return self.text.wording().remedy

    @property
    def translations(self) -> Mapping[str, Wording]:
        """Reason and next step by language, English first."""
        return self.text.translations()


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """Holder and validity of a certificate.

    `content` is the certificate, its chain and its key as PEM without a password.

    `holder` is the entity that it names, else the person; its tax identifier is in the country's normal form. `seal`:
    it is an entity's seal; None where it does not state that. `signs`: records can be signed with it. `valid_until` is
    the last instant.
    """

    holder: Party
    issuer: str
    serial: str
    valid_from: datetime
    valid_until: datetime
    seal: bool | None
    signs: bool
    content: bytes = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class ConnectionTest:
    """Result of a request that reports nothing: how far it came, and what stopped it.

    A value is None where the request did not come that far. `milliseconds` is the whole time. `certificate` is the one
    that was shown: `own` (the issuer's), `operator` or `sandbox`. `said_at` is the time by the authority's clock.
    """

    host: str
    certificate: str | None
    reachable: bool
    server_verified: bool | None
    certificate_accepted: bool | None
    http_status: int | None
    milliseconds: int
    problem: FieldProblem | None
    said_at: datetime | None = None
