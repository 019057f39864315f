"""Shapes of teams and of the person who asks (interface decisions A, G)."""

from datetime import date
from functools import cache
from typing import Annotated, Literal
from zoneinfo import available_timezones

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, model_validator

from ledgerkit.core.platform.ai.schemas import TokenBalance
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
from ledgerkit.core.platform.api_types.messages import FormMsg
from ledgerkit.core.platform.api_types.wire import Timestamp, Wire
from ledgerkit.core.platform.documents.einvoicing_state import State
from ledgerkit.core.platform.identity.schemas import User
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
    simplified: SeriesPrefix | None = None
    credit_note: SeriesPrefix | None = None

    @model_validator(mode="after")
    def _separate(self) -> "Series":
        """Require separate series for corrective and simplified documents. Source: RD 1619/2012 art. 6.1.a."""
        prefixes = [self.invoice or "F", self.simplified or "T", self.credit_note or "R"]
        if len(set(prefixes)) < len(prefixes):
            raise refusal("series_not_apart", FormMsg.SERIES_APART)
        return self


class TeamFields(Wire):
    company: ShortText | None = None
    currency: CurrencyCode | None = None
    tax_id: Annotated[ShortText | None, Field(description="The issuer's tax identifier, checked by its country")] = None
    logo: Annotated[str, StringConstraints(max_length=LOGO_MAX_CHARACTERS), PRINTABLE] | None = None
    address: ShortText | None = None
    city: ShortText | None = None
    province: ShortText | None = None
    postal_code: ShortText | None = None
    email: Email | None = None
    phone: ShortText | None = None
    iban: Iban | None = None
    timezone: TimeZone | None = None
    default_tax_rate: Rate | None = None
    default_retention_rate: Rate | None = None
    payment_term_days: TermDays | None = None
    higher_simplified_limit: Annotated[
        Flag | None,
        Field(description="It sells what may be invoiced in simplified form at higher amounts: retail, catering..."),
    ] = None
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
    since: Annotated[date, Field(alias="from")]


class Team(Wire):
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
    role: str
    is_active: bool
    warnings: Annotated[
        list[str],
        Field(description="About its series where another account has its tax identifier, its e-invoicing and regime"),
    ]
    created_at: Timestamp
    updated_at: Timestamp
    version: Annotated[int, Field(exclude=True)]


class TeamMember(Wire):
    id: str
    user_id: str
    name: str
    email: str
    role: str
    joined_at: Timestamp
    invited_by: str | None
    last_active_at: Timestamp | None


MemberRole = Literal["admin", "finance", "operations", "member", "viewer"]
"""Roles that can be given: a team's owner is the person who created it."""


class RoleChange(Wire):
    role: MemberRole


class InvitationInput(Wire):
    model_config = ConfigDict(json_schema_extra={"examples": [{"email": "socia@example.com", "role": "finance"}]})

    email: Email
    role: MemberRole = "member"


class Invited(Wire):
    """The new member; `notified` is true when a mail server has accepted the mail that informs them."""

    member: TeamMember
    notified: bool
    delivered_to: Annotated[
        Delivery | None,
        Field(description="`file`: this server has no mail server, nothing was mailed; null: the mail was refused"),
    ] = None


class MemberAnswer(Wire):
    member: TeamMember


class NewKey(Wire):
    api_key: Annotated[str, Field(description="The team's new key; the one before is void")]


class CurrentTeam(Wire):
    team: Team
    members: list[TeamMember]


class TeamAnswer(Wire):
    team: Team


class RoleRights(Wire):
    """A role and what it may do, as `noun:verb`; `assignable` roles can be given to members."""

    role: Role
    assignable: bool
    permissions: list[str]


class MyRole(Wire):
    role: str
    team_id: str | None


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
    tokens: TokenBalance
    modules: list[str]
    scopes: CoveredScopes


class ActiveTeam(Wire):
    id: str
    name: str
    tax_id: Annotated[str | None, Field(description="The issuer's NIF; without it nothing can be emitted")]
    country: str
    einvoicing: Annotated[State, Field(description="`on`: whatever gets a number gets a fiscal record with it")]


class WhoAmI(Wire):
    """The person or key that asks, and the areas open to it; `team` is null in a personal workspace."""

    user: User
    team: ActiveTeam | None
    role: str
    modules: list[str]
    tokens: TokenBalance
    scopes: CoveredScopes


class SessionTeam(Wire):
    """The team, or the personal workspace, whose books are open."""

    id: str
    name: str
    company: str | None
    tax_id: str | None
    country: str
    currency: str
    timezone: str
    role: str
    is_team: Annotated[bool, Field(description="False in a personal workspace, which `POST /api/teams` makes a team")]
    einvoicing: Annotated[State, Field(description="`on`: whatever gets a number gets a fiscal record with it")]
    is_set_up: Annotated[
        bool, Field(description="Tax identifier and address are there, which every full invoice shows")
    ]


class SessionMembership(Wire):
    id: str
    name: str
    role: str


class SessionEInvoice(Wire):
    environment: Annotated[EInvoiceEnvironment, Field(description="Authority that this server reports to")]


class SessionMail(Wire):
    delivered_to: Annotated[
        Delivery, Field(description="`smtp`; `file`: this server has no mail server and keeps its mails as files")
    ]


class Session(Wire):
    """A browser's session: who is logged in, in which team, and what they may do there. `user` is null for nobody."""

    user: User | None
    csrf_token: Annotated[
        str | None, Field(description="Value of `X-CSRF-Token` for requests that change something by cookie")
    ]
    team: Annotated[SessionTeam | None, Field(description="Null for nobody")]
    teams: Annotated[list[SessionMembership], Field(description="Teams that the user belongs to")]
    permissions: Annotated[list[str], Field(description="Permissions that the user has in this team")]
    einvoice: SessionEInvoice
    mail: SessionMail
    ai_configured: Annotated[bool, Field(description="A model server reads receipts and suggests categories")]
    version: Annotated[str, Field(description="Version of the package that serves")]
