"""Schemas of certificates, of the producer's statement, and of the dates from which the law obliges."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints

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
    message: str
    remedy: str


class CertificateShown(Wire):
    id: str
    holder: str
    tax_id: Annotated[str, Field(description="The holder's tax identifier, as in the certificate")]
    represents: Annotated[bool, Field(description="The holder is not the issuer, and acts for it")]
    issuer: Annotated[str, Field(description="Issuer of the certificate")]
    serial: Annotated[str, Field(description="Hexadecimal")]
    kind: CertificateKind
    signs: Annotated[bool, Field(description="The certificate can sign records that are kept, not reported")]
    valid_from: Timestamp
    valid_to: Timestamp
    days_left: Annotated[int, Field(description="Whole days; negative once it has expired")]
    uploaded_at: Timestamp
    uploaded_by: str
    problem: Annotated[
        ConnectionProblem | None, Field(description="Reason for which no real authority lets it in; null for any other")
    ]


class CertificateStanding(Wire):
    """The certificate that this account reports with, and its end."""

    of: Annotated[Literal["account", "operator"], Field(description="The account's own, or this server's")]
    expires_at: Timestamp
    days_left: int


class ConnectionTested(Wire):
    """Result of a connection that reports nothing; null for steps that it did not reach."""

    ok: bool
    environment: str
    host: str
    certificate: Annotated[
        Literal["own", "operator", "sandbox"] | None, Field(description="Owner of the certificate that was shown")
    ]
    reachable: bool
    server_verified: bool | None
    certificate_accepted: bool | None
    http_status: int | None
    milliseconds: int
    clock_seconds_ahead: Annotated[
        int | None,
        Field(description="By how much our clock is ahead of the authority's; below zero: behind"),
    ]
    problem: ConnectionProblem | None


class DeclaredItem(Wire):
    key: Annotated[str, Field(description="Place of the item in the law's list, as `1.a`")]
    text: str
    value: str


class DeclarationShown(Wire):
    title: str
    version: Annotated[str, Field(description="Version of the software that it is about")]
    language: str
    notice: Annotated[str | None, Field(description="Reason for which it is not valid; null for a real declaration")]
    items: list[DeclaredItem]
    annex: list[DeclaredItem]
    digest: Annotated[str, Field(description="SHA-256 of the content, hexadecimal")]
    rendered_at: Annotated[Timestamp | None, Field(description="Time at which it was first shown; null for a specimen")]


class FormerDay(Wire):
    since: Annotated[date, Field(alias="from")]
    source: str


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
    announced_on: date | None
    enacted: Annotated[Literal[False], Field(description="Always false: what is enacted stands in `from`")]


class ObligationShown(Wire):
    """Taxpayers obliged by the law in force, and since which day; `former` are days that it named before."""

    who: str
    since: Annotated[date, Field(alias="from")]
    source: str
    former: list[FormerDay]
    announced: Annotated[str | None, Field(description="A change that is announced and not yet law, in a sentence")]
    announcement: Annotated[AnnouncementShown | None, Field(description="The same as data; null without one")]
