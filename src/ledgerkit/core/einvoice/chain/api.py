"""Schemas of chains: their records' count, their checks, and the software they continue."""

from datetime import date
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from ledgerkit.core.einvoice.table import ChainHeadRow, LostNumberRow
from ledgerkit.core.einvoice.values.chains import ChainCheck
from ledgerkit.core.platform.api_types.fields import Flag, ShortText
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.money import Amount

Position = Annotated[int, Field(ge=1, le=2**31 - 1)]


class UnrecordedDocument(Wire):
    """A numbered document that lacks the record it must have."""

    invoice_id: str
    """Id of the invoice."""
    number: str
    """Number of the invoice."""
    issue_date: date
    """Day of issue of the invoice."""
    issued_at: Timestamp
    """Moment in UTC at which it got its number."""
    deleted: bool
    """True where it was deleted since."""
    remedy: str
    """Remedy, in words."""


class ImportedDocument(Wire):
    """A document of another program, dated since this one records what the account issues."""

    invoice_id: str
    """Id of the invoice."""
    number: str
    """Number of the invoice."""
    issue_date: date
    """Day of issue of the invoice."""
    imported_at: Timestamp
    """Moment in UTC at which it was imported."""
    remedy: str
    """Remedy, in words."""


class UnrecordedDocuments(Wire):
    """Numbered documents without a record. Those counted in `others`, from before the first record, need none."""

    count: Annotated[int, Field(description="Documents that must have a record and lack it")]
    documents: Annotated[list[UnrecordedDocument], Field(description="The first 100 of those documents")]
    others: Annotated[
        dict[str, int],
        Field(description="By reason: `chosen`, `no_tax_id`, `no_channel`, `earlier_version`"),
    ]
    imported_count: Annotated[
        int, Field(description="Documents of another program, dated since the first record: that program owes theirs")
    ]
    imported: Annotated[list[ImportedDocument], Field(description="The first 100 of those documents")]


class ChainLinkView(Wire):
    """A record as its successor in the chain names it."""

    position: int
    """Position of the record in its chain, from 1; 0 for one of other software."""
    number: str
    """Number of the record's invoice."""
    issue_date: date
    """Day of issue of that invoice."""
    hash: str
    """SHA-256 of the record's values and the hash before it, 64 upper-case hex digits."""
    generated_at: Timestamp | None
    """Time (UTC) at which the record was made; null where not known."""


class ChainAlarm(Wire):
    """A flaw noticed when a record was made. It stays until the whole chain has been checked and holds."""

    at: Timestamp
    """Moment in UTC at which it was noticed."""
    position: int | None
    """Position of the flaw, from 1; null where it has none."""
    code: str
    """The authority's code of the flaw (Spain: TipoAnomalia)."""
    message: str
    """Fault, in words."""


class LostDocument(Wire, row=LostNumberRow):
    """A number that was given before the database was set back. Its document is in nobody's books here."""

    number: str
    issue_date: date | None
    total: Amount | None
    status: Annotated[str | None, Field(description="State at the authority; null where it holds none")]
    held: bool
    noticed_at: Timestamp
    """Moment in UTC at which the loss was noticed."""


class Chain(Wire, row=ChainHeadRow):
    """One installation of one issuer, and the chain of its records."""

    installation_number: str
    """Number of the installation, 32 hexadecimal digits."""
    provider: str
    """Id of the channel that makes the records, as verifactu."""
    environment: str
    issuer_tax_id: str
    mode: Annotated[str, Field(description="The mode's name, as in GET /api/einvoice/mode")]
    positions: Annotated[int, Field(description="Number of records: positions run from 1 to this, without gaps")]
    head: ChainLinkView | None
    """The last record of the chain; null before the first."""
    continued_from: Annotated[ChainLinkView | None, Field(description="The last record of the software used before")]
    created_at: Timestamp
    """Moment in UTC at which the chain was begun."""
    closed_at: Timestamp | None
    closed_reason: str | None
    alarm: ChainAlarm | None
    """Flaw that was noticed; null for none."""
    last_check: ChainCheck | None
    """The last check of the chain or a part of it; null before any."""
    numbers: Annotated[
        Literal["due", "asked", "renamed"] | None,
        Field(
            description="After a restore: `due` until the authority is asked which numbers it holds, before the next "
            "one is given; `renamed` where it could not be asked and the series have other names; else null"
        ),
    ]
    lost_documents: Annotated[
        list[LostDocument], Field(description="Numbers given before the restore, which are not given again")
    ]


class ChainOverview(Wire):
    environment: str
    """Authority that this server reports to: sandbox, test or production."""
    chains: Annotated[list[Chain], Field(description="The newest first; one without `closedAt` gets the next record")]
    verification: Annotated[ChainCheck | None, Field(description="Result of `verify=true`; null without a chain")]
    unrecorded: Annotated[
        UnrecordedDocuments | None,
        Field(description="With `verify=true`: numbered documents without a record, whatever the stretch"),
    ]


class Stretch(Wire):
    """Part of a chain, by positions; all of it by default, of the chain that gets the next record."""

    installation_number: str | None = None
    first: Position = 1
    last: Position | None = None


class ContinueInput(Wire):
    """The last record of the software used before, as that software stored it.

    A record that was `reported` is looked up at the authority.
    """

    last_number: Annotated[ShortText, Field(description="Series and number of the record's invoice")]
    last_issue_date: date
    """Day of issue of that invoice."""
    last_fingerprint: Annotated[ShortText, Field(description="The record's hash: 64 digits of 0-9 A-F")]
    last_generated_at: Annotated[
        AwareDatetime | None, Field(description="When the record was made; no record here is dated earlier")
    ] = None
    reported: Annotated[
        Flag,
        Field(description="False for a record that was only kept, or was refused: it is not looked up"),
    ] = True


Confirmation = Literal["held", "no_answer", "not_asked"]


class Continued(Chain):
    """A chain, with the authority's confirmation of the record that it continues."""

    confirmation: Annotated[
        Confirmation,
        Field(description="`no_answer`: the authority did not answer; the chain goes on all the same"),
    ]
