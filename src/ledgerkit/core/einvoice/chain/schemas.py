"""Shapes of chains: where they stand, how they were checked, where they came from."""

from datetime import date
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from ledgerkit.core.api_types.fields import Flag, ShortText
from ledgerkit.core.api_types.wire import Timestamp, Wire

Position = Annotated[int, Field(ge=1, le=2**31 - 1)]


class Break(Wire):
    """Where a chain does not hold, and why."""

    position: int | None
    kind: Literal["content", "fingerprint", "signature", "link", "order", "date", "gap"]
    code: Annotated[str, Field(description="The authority's code of the anomaly (Spain: TipoAnomalia)")]
    message: str


class ChainCheck(Wire):
    """What a walk along a stretch of a chain has found."""

    installation_number: str
    first_position: int
    last_position: int
    records: int
    anomalies: int
    first_break: Break | None
    ok: Annotated[bool, Field(description="The chain holds, and no numbered document lacks the record that it owes")]
    checked_at: Timestamp


class UnrecordedDocument(Wire):
    """A document that has a number and not the record that it owes."""

    invoice_id: str
    number: str
    issue_date: date
    issued_at: Timestamp
    deleted: bool
    remedy: str


class UnrecordedDocuments(Wire):
    """Numbered documents without a record. Those of `others`, from before the first record, owe none."""

    count: Annotated[int, Field(description="How many owe a record")]
    documents: Annotated[list[UnrecordedDocument], Field(description="The first 100 of them")]
    others: Annotated[
        dict[str, int],
        Field(description="By reason: `chosen`, `no_tax_id`, `no_channel`, `earlier_version`"),
    ]


class ChainLinkView(Wire):
    """A record as the one after it names it."""

    position: int
    number: str
    issue_date: date
    hash: str
    generated_at: Timestamp | None


class ChainAlarm(Wire):
    """Something did not hold when a record was made; it stays until the whole chain has been checked and holds."""

    at: Timestamp
    position: int | None
    code: str
    message: str


class Chain(Wire):
    """One installation of one issuer, and the chain of its records."""

    installation_number: str
    provider: str
    environment: str
    issuer_tax_id: str
    mode: Annotated[str, Field(description="As GET /api/einvoice/mode names it")]
    positions: Annotated[int, Field(description="How many records it has: 1 to this, without gaps")]
    head: ChainLinkView | None
    continued_from: Annotated[ChainLinkView | None, Field(description="The last record of the software before")]
    created_at: Timestamp
    closed_at: Timestamp | None
    closed_reason: str | None
    alarm: ChainAlarm | None
    last_check: ChainCheck | None


class ChainOverview(Wire):
    environment: str
    chains: Annotated[list[Chain], Field(description="The newest first; one without `closedAt` gets the next record")]
    verification: Annotated[ChainCheck | None, Field(description="What `verify=true` has found; null without a chain")]
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
    """The last record of the software from which an issuer moves in, as that software stored it.

    What was `reported` is asked for at the authority.
    """

    last_number: Annotated[ShortText, Field(description="Series and number of its invoice")]
    last_issue_date: date
    last_fingerprint: Annotated[ShortText, Field(description="Its hash: 64 digits of 0-9 A-F")]
    last_generated_at: Annotated[
        AwareDatetime | None, Field(description="When it was made; no record of ours is made earlier")
    ] = None
    reported: Annotated[
        Flag, Field(description="False for one that was only kept, or refused by the authority: it is not asked for it")
    ] = True


Confirmation = Literal["held", "no_answer", "not_asked"]


class Continued(Chain):
    """The chain, and whether the authority holds the record that it goes on from."""

    confirmation: Annotated[
        Confirmation, Field(description="`no_answer`: the authority did not say; the chain goes on all the same")
    ]
