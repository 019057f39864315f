"""Shapes of teams and of the person who asks (interface decisions A, G)."""

from datetime import date
from functools import cache
from typing import Annotated, Literal
from zoneinfo import available_timezones

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, model_validator

from ledgerkit.core.platform.ai.api import TokenBalance
from ledgerkit.core.platform.api_types.fields import (
    PRINTABLE,
    CountryCode,
    CurrencyCode,
    Email,
    Flag,
    Iban,
    Name,
    ShortText,
    TermDays,
)
from ledgerkit.core.platform.api_types.texts import FormMsg
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.documents.einvoicing_state import State
from ledgerkit.core.platform.identity.api import User
from ledgerkit.core.platform.identity.table import InvitationRow, MembershipRow, StoredAccountRow
from ledgerkit.core.platform.mail import Delivery
from ledgerkit.core.platform.request.permissions import Role
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.money import Rate
from ledgerkit.settings import EInvoiceEnvironment
from ledgerkit.texts.refusals import refusal

LOGO_MAX_CHARACTERS = 1_400_000
"""Longest logo in characters: one MiB of picture in base64."""


@cache
def _zones() -> set[str]:
    return available_timezones()


def _checked_zone(name: str) -> str:
    if name not in _zones():
        raise refusal("time_zone_unknown", FormMsg.TIME_ZONE)
    return name


TimeZone = Annotated[str, StringConstraints(max_length=64), AfterValidator(_checked_zone)]
SeriesPrefix = Annotated[str, StringConstraints(pattern=r"^[A-Z0-9][A-Z0-9/-]{0,9}$")]


class Series(Wire):
    """Prefixes of document numbers; where one is absent, the country's default applies."""

    invoice: SeriesPrefix | None = None
    """Prefix of invoices; null for F."""
    simplified: SeriesPrefix | None = None
    """Prefix of simplified invoices; null for T."""
    credit_note: SeriesPrefix | None = None
    """Prefix of credit notes; null for R."""

    @model_validator(mode="after")
    def _separate(self) -> "Series":
        """Require separate series for corrective and simplified documents. Source: RD 1619/2012 art. 6.1.a."""
        prefixes = [self.invoice or "F", self.simplified or "T", self.credit_note or "R"]
        if len(set(prefixes)) < len(prefixes):
            raise refusal("series_not_apart", FormMsg.SERIES_APART)
        return self


class TeamFields(Wire, row=StoredAccountRow):
    company: ShortText | None = None
    currency: CurrencyCode | None = None
    tax_id: ShortText | None = None
    logo: Annotated[str, StringConstraints(max_length=LOGO_MAX_CHARACTERS), PRINTABLE] | None = None
    address: ShortText | None = None
    city: ShortText | None = None
    province: ShortText | None = None
    postal_code: ShortText | None = None
    email: Email | None = None
    phone: ShortText | None = None
    iban: Iban | None = None
    timezone: TimeZone | None = None
    """IANA time zone by which the account's days begin and end, as Europe/Madrid."""
    default_tax_rate: Rate | None = None
    default_retention_rate: Rate | None = None
    payment_term_days: TermDays | None = None
    higher_simplified_limit: Flag | None = None
    series: Series | None = None
    einvoicing: Annotated[
        State | None,
        Field(
            description="`off`: documents get no fiscal record; can be chosen before the first one only, and before "
            "the day on which the law obliges the team"
        ),
    ] = None
    regime: Annotated[
        ShortText | None,
        Field(
            description="Regime under which the team reports its invoices, one of `regimes` in "
            "`GET /api/einvoice/providers`; in Spain `verifactu` (usual), `sii`, `foral`"
        ),
    ] = None
    regime_from: Annotated[
        date | None,
        Field(description="First day of `regime`: today by default before the first record, else a day to come"),
    ] = None


class TeamInput(TeamFields):
    name: Name
    country: CountryCode


class TeamChange(TeamFields):
    """Fields that are absent keep their value."""

    name: Name = ""
    country: CountryCode = ""


class StatedRegime(Wire):
    """A regime that the team has stated, and its first day; it holds until the next one begins."""

    regime: str
    """Key of the regime."""
    since: Annotated[date, Field(alias="from")]
    """First day of the regime."""


class Team(Wire, row=StoredAccountRow):
    id: str
    name: str
    company: str | None
    country: str
    currency: str
    tax_id: str | None
    logo: str | None
    address: str | None
    city: str | None
    province: str | None
    postal_code: str | None
    email: str | None
    phone: str | None
    iban: str | None
    timezone: str
    """IANA time zone by which the account's days begin and end, as Europe/Madrid."""
    default_tax_rate: Rate | None
    default_retention_rate: Rate | None
    payment_term_days: int
    higher_simplified_limit: bool
    series: Series
    einvoicing: Annotated[State, Field(description="`on`: whatever gets a number gets a fiscal record with it")]
    regime: Annotated[str | None, Field(description="Regime in force today; null in a country without regimes")]
    regime_from: Annotated[date | None, Field(description="Its first day; null where no regime was ever stated")]
    regimes: Annotated[list[StatedRegime], Field(description="All that were stated, the first first, planned ones too")]
    api_key: Annotated[str | None, Field(description="The team's key; shown to its owner only")]
    member_count: int
    """Number of members, the owner too."""
    role: str
    """Role of whoever asks: owner, admin, finance, operations, member or viewer."""
    is_active: bool
    """True for the team that the person works in unless a request names another one."""
    warnings: Annotated[
        list[str],
        Field(description="About its series where another account has its tax identifier, its e-invoicing and regime"),
    ]
    created_at: Timestamp
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]


class TeamMember(Wire, row=MembershipRow):
    id: str
    user_id: str
    name: str
    """Name of the member."""
    email: str
    """E-mail address of the member."""
    role: str
    joined_at: Timestamp
    invited_by: str | None
    last_active_at: Timestamp | None


MemberRole = Literal["admin", "finance", "operations", "member", "viewer"]
"""Roles that can be given: a team's owner is the person who created it."""


class RoleChange(Wire, row=MembershipRow):
    role: MemberRole
    """New role: admin, finance, operations, member or viewer."""


class InvitationInput(Wire, row=InvitationRow):
    model_config = ConfigDict(json_schema_extra={"examples": [{"email": "socia@example.com", "role": "finance"}]})

    email: Email
    role: MemberRole = "member"


class Invited(Wire):
    """The new member; `notified` is true when a mail server has accepted the mail that informs them."""

    member: TeamMember
    """The new member."""
    notified: bool
    """True where a mail server has accepted the mail to the member."""
    delivered_to: Annotated[
        Delivery | None,
        Field(description="`file`: this server has no mail server, nothing was mailed; null: the mail was refused"),
    ] = None


class PendingInvitation(Wire, row=InvitationRow):
    """An invitation that can still be used."""

    id: str
    email: str
    role: str
    invited_at: Timestamp
    """Time of the invitation."""
    expires_at: Timestamp


class MemberAnswer(Wire):
    member: TeamMember
    """The member as it stands now."""


class NewKey(Wire):
    api_key: Annotated[str, Field(description="The team's new key; the one before is void")]


class CurrentTeam(Wire):
    team: Team
    """The team that the person works in."""
    members: list[TeamMember]
    """Members of the team."""


class TeamAnswer(Wire):
    team: Team
    """The team as it stands now."""


class RoleRights(Wire):
    """A role and what it may do, as `noun:verb`; `assignable` roles can be given to members."""

    role: Role
    """Name of the role."""
    assignable: bool
    """True where it can be given to members."""
    permissions: list[str]
    """Permissions of the role, as `invoices:read`."""


class MyRole(Wire):
    role: str
    """Role in the account: owner, admin, finance, operations, member or viewer."""
    team_id: str | None
    """Id of the team; null in a personal workspace."""


class UsualTaxRate(Wire):
    """The rate that forms begin a line with."""

    tax_rate: Annotated[
        Rate | None,
        Field(
            description="Percent of lines that name none: the team's `defaultTaxRate`, else the general rate of its "
            "country today; null where neither is known"
        ),
    ]


CoveredScopes = Annotated[list[Scope], Field(description="What the credentials cover; the role may allow less")]


class Me(Wire):
    user: User
    """Person who asks; for a team's key its owner."""
    tokens: TokenBalance
    """AI actions that are left."""
    modules: list[str]
    """Areas of the application that are open to the role, as `invoices`."""
    scopes: CoveredScopes


class ActiveTeam(Wire, row=StoredAccountRow):
    id: str
    name: str
    tax_id: str | None
    country: str
    einvoicing: Annotated[State, Field(description="`on`: whatever gets a number gets a fiscal record with it")]


class WhoAmI(Wire):
    """The person or key that asks, and the areas open to it; `team` is null in a personal workspace."""

    user: User
    """Person who asks; for a team's key its owner."""
    team: ActiveTeam | None
    """Team that is worked in; null in a personal workspace."""
    role: str
    """Role in the account: owner, admin, finance, operations, member or viewer."""
    modules: list[str]
    """Areas of the application that are open to the role, as `invoices`."""
    tokens: TokenBalance
    """AI actions that are left."""
    scopes: CoveredScopes


class SessionTeam(Wire, row=StoredAccountRow):
    """The team, or the personal workspace, whose books are open."""

    id: str
    name: str
    company: str | None
    tax_id: str | None
    country: str
    currency: str
    timezone: str
    """IANA time zone by which the account's days begin and end, as Europe/Madrid."""
    role: str
    """Role of the user: owner, admin, finance, operations, member or viewer."""
    is_team: Annotated[bool, Field(description="False in a personal workspace, which `POST /api/teams` makes a team")]
    einvoicing: Annotated[State, Field(description="`on`: whatever gets a number gets a fiscal record with it")]
    is_set_up: Annotated[
        bool, Field(description="Tax identifier and address are there, which every full invoice shows")
    ]


class SessionMembership(Wire):
    id: str
    """Id of the team."""
    name: str
    """Name of the team."""
    role: str
    """Role of the user: owner, admin, finance, operations, member or viewer."""


class SessionEInvoice(Wire):
    environment: Annotated[EInvoiceEnvironment, Field(description="Authority that this server reports to")]


class SessionMail(Wire):
    delivered_to: Annotated[
        Delivery, Field(description="`smtp`; `file`: this server has no mail server and keeps its mails as files")
    ]


class Session(Wire):
    """A browser's session: who is logged in, in which team, and what they may do there. `user` is null for nobody."""

    user: User | None
    """Person who is logged in; null for nobody."""
    csrf_token: Annotated[
        str | None, Field(description="Value of `X-CSRF-Token` for requests that change something by cookie")
    ]
    team: Annotated[SessionTeam | None, Field(description="Null for nobody")]
    teams: Annotated[list[SessionMembership], Field(description="Teams that the user belongs to")]
    permissions: Annotated[list[str], Field(description="Permissions that the user has in this team")]
    einvoice: SessionEInvoice
    """Reporting of invoices by this server."""
    mail: SessionMail
    """Sending of mails by this server."""
    ai_configured: Annotated[bool, Field(description="A model server reads receipts and suggests categories")]
    version: Annotated[str, Field(description="Version of the package that serves")]
