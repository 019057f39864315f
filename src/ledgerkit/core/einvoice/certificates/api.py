"""Schemas of certificates, of the producer's statement, and of the dates from which the law obliges."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints

from ledgerkit.core.einvoice.certificates.table import CertificateRow
from ledgerkit.core.platform.api_types.fields import PRINTABLE_SECRET, Flag
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire

MAX_FILE_BYTES = 64 * 1024
_MAX_CHARACTERS = -(-MAX_FILE_BYTES // 3) * 4

CertificateKind = Literal["person", "seal"]


class CertificateInput(Wire):
    """A client certificate with its key. File, key and password are never shown again."""

    file: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=_MAX_CHARACTERS),
        Field(repr=False, description="PEM or PKCS#12 (.p12, .pfx) with its key, in base64; 64 KiB at most"),
    ]
    password: Annotated[
        Annotated[SecretStr, Field(max_length=1000), PRINTABLE_SECRET] | None,
        Field(description="The file's password, if it has one"),
    ] = None
    kind: Annotated[
        CertificateKind | None,
        Field(description="`seal` for an entity's seal, with a host of its own; by default as the certificate says"),
    ] = None
    represents: Annotated[
        Flag,
        Field(
            description="The holder is somebody else with powers to report for the issuer, named in every message",
        ),
    ] = False


class ConnectionProblem(Wire):
    code: str
    """Stable code of the problem."""
    message: str
    """Fault, in words."""
    remedy: str
    """Remedy, in words."""


class CertificateShown(Wire, row=CertificateRow):
    id: str
    holder: str
    tax_id: str
    represents: bool
    issuer: str
    serial: str
    kind: CertificateKind
    """`person` for a person's certificate, `seal` for an entity's seal."""
    signs: bool
    valid_from: Timestamp
    valid_to: Timestamp
    days_left: Annotated[int, Field(description="Whole days; negative once it has expired")]
    uploaded_at: Timestamp
    """Moment in UTC of the upload."""
    uploaded_by: str
    """Name of whoever uploaded it."""
    problem: Annotated[
        ConnectionProblem | None, Field(description="Reason for which no real authority lets it in; null for any other")
    ]


class CertificateStanding(Wire):
    """The certificate that this account reports with, and its end."""

    of: Annotated[Literal["account", "operator"], Field(description="The account's own, or this server's")]
    expires_at: Timestamp
    """Moment in UTC at which it ends."""
    days_left: int
    """Whole days until then; negative once it has expired."""


class ConnectionTested(Wire):
    """Result of a connection that reports nothing; null for steps that it did not reach."""

    ok: bool
    """True where the authority has accepted the certificate."""
    environment: str
    """Authority that was tried: sandbox, test or production."""
    host: str
    """Host that was called."""
    certificate: Annotated[
        Literal["own", "operator", "sandbox"] | None, Field(description="Owner of the certificate that was shown")
    ]
    reachable: bool
    """True where the host answered."""
    server_verified: bool | None
    """True where the host has proved that it is the authority's."""
    certificate_accepted: bool | None
    """True where it took the certificate."""
    http_status: int | None
    """HTTP status of its answer."""
    milliseconds: int
    """Time that it took, in milliseconds."""
    clock_seconds_ahead: Annotated[
        int | None,
        Field(description="By how much our clock is ahead of the authority's; below zero: behind"),
    ]
    problem: ConnectionProblem | None
    """Problem that was met; null for none."""


class DeclaredItem(Wire):
    key: Annotated[str, Field(description="Place of the item in the law's list, as `1.a`")]
    text: str
    """Text of the law."""
    value: str
    """Answer of the producer."""


class DeclarationShown(Wire):
    title: str
    """Title of the statement."""
    version: Annotated[str, Field(description="Version of the software that it is about")]
    language: str
    """Two-letter code of its language."""
    notice: Annotated[str | None, Field(description="Reason for which it is not valid; null for a real declaration")]
    items: list[DeclaredItem]
    """Items that the law demands, in its order."""
    annex: list[DeclaredItem]
    """Items beyond those."""
    digest: Annotated[str, Field(description="SHA-256 of the content, hexadecimal")]
    rendered_at: Annotated[Timestamp | None, Field(description="Time at which it was first shown; null for a specimen")]


class FormerDay(Wire):
    since: Annotated[date, Field(alias="from")]
    """The day that the law named before."""
    source: str
    """Law that named it."""


class AnnouncementShown(Wire):
    """Change that is announced and not law: it obliges nobody."""

    since: Annotated[
        str | None,
        Field(
            alias="from",
            description="The announced day, or only its month where no more is known; null where `announced` says it",
        ),
    ]
    source: str
    """Source of the announcement."""
    announced_on: date | None
    """Day of the announcement; null where not known."""
    enacted: Annotated[Literal[False], Field(description="Always false: what is enacted stands in `from`")]


class ObligationShown(Wire):
    """Taxpayers obliged by the law in force, and since which day; `former` are days that it named before."""

    who: str
    """Taxpayers, in words."""
    since: Annotated[date, Field(alias="from")]
    """First day of the obligation."""
    source: str
    """Law that names it."""
    former: list[FormerDay]
    """Days that the law named before; empty for none."""
    announced: Annotated[str | None, Field(description="A change that is announced and not yet law, in a sentence")]
    announcement: Annotated[AnnouncementShown | None, Field(description="The same as data; null without one")]
