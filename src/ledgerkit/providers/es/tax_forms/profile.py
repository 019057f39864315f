"""Tax profile of a Spanish account: what its forms need to know that no document says."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator
from pydantic.alias_generators import to_camel

from ledgerkit.money import Amount
from ledgerkit.providers.api import Party, TaxProfile
from ledgerkit.providers.es.tax_forms.messages import TaxProfileMsg
from ledgerkit.providers.es.tax_forms.profile_details import BankAbroad, Contact, Employee, LeasedProperty
from ledgerkit.providers.es.territories import Territory, territory_of
from ledgerkit.texts.refusals import refusal


class PersonKind(StrEnum):
    NATURAL_PERSON = "natural_person"
    COMPANY = "company"


class EstimationMode(StrEnum):
    """Method by which income tax finds the net income: direct estimation, normal or simplified, or modules."""

    NORMAL = "normal"
    SIMPLIFIED = "simplified"
    MODULES = "modules"


class Prorrata(StrEnum):
    """Rule by which who also sells without the right to deduct, deducts (Ley 37/1992, arts. 102 to 106).

    GENERAL deducts a percent of everything; SPECIAL deducts what each purchase says, by its use.
    """

    NONE = "none"
    GENERAL = "general"
    SPECIAL = "special"


class FilingPeriod(StrEnum):
    QUARTERLY = "quarterly"
    MONTHLY = "monthly"


class WithholdingDate(StrEnum):
    """Day by which forms 111, 115, 180 and 190 place a retention: of the first payment, or the document's."""

    PAYMENT = "payment"
    DOCUMENT = "document"


class ActivityKind(StrEnum):
    """Kind of an activity, by the letters of forms 303 and 390 (A01 to A05, B01 to B05, C)."""

    LETTING = "A01"
    LIVESTOCK = "A02"
    BUSINESS = "A03"
    ARTISTIC = "A04"
    PROFESSIONAL = "A05"
    FARMING = "B01"
    INTENSIVE_LIVESTOCK = "B02"
    FORESTRY = "B03"
    SHELLFISH = "B04"
    FISHING = "B05"
    NONE = "C"


class Activity(TaxProfile):
    """Activity of the census."""

    kind: Annotated[ActivityKind, Field(description="Kind of the activity by the letters of forms 303 and 390")] = (
        ActivityKind.PROFESSIONAL
    )
    iae: Annotated[
        str | None,
        Field(description="Heading of the tax on economic activities (IAE), digits only", pattern=r"^[0-9]{1,4}$"),
    ] = None
    cnae: Annotated[
        str | None, Field(description="National classification (CNAE), digits only", pattern=r"^[0-9]{2,4}$")
    ] = None
    description: Annotated[str, Field(description="Activity in words, at most 40 characters", max_length=40)] = ""
    since: Annotated[date | None, Field(description="First day of the activity")] = None
    until: Annotated[date | None, Field(description="Last day of the activity, if it has ended")] = None

    @model_validator(mode="after")
    def _ends_after_start(self) -> Self:
        if self.since and self.until and self.until < self.since:
            raise refusal("ends_before_start", TaxProfileMsg.ENDS_BEFORE_START)
        return self


_Territory = Field(
    description="Territory by whose rules the account is taxed: `common`, `alava`, `gipuzkoa`, `bizkaia`, `navarra`, "
    "`canarias`, `ceuta` or `melilla`; null: that of the account's address"
)
_Estimation = Field(description="Method of income tax: direct estimation `normal` or `simplified`, or `modules`")
_NetIncome = Field(
    description="Net income of the year before from economic activities, for the reduction of form 130 (art. 110.3.c "
    "of RD 439/2007); null: not known, so no reduction and a warning"
)
_ExemptFrom390 = Field(description="True if the last 303 of the year replaces form 390 (last page of the 303)")
_Prorrata = Field(description="Deduction of VAT in part: `none`, `general` (a percent of all) or `special` (by use)")
_Percent = Field(
    description="Provisional percent of the general prorrata: the final one of the year before", ge=0, le=100
)
_Cash = Field(description="True under the cash accounting scheme (RECC; Ley 37/1992, art. 163 decies)")
_Refund = Field(description="True if registered for monthly refunds (REDEME; RD 1624/1992, art. 30): monthly 303")
_Filing = Field(description="Period of forms 303 and 111: `quarterly`, or `monthly` for large companies")
_Surcharge = Field(description="True for a retailer who sells only under the equivalence surcharge: no 303, no 390")
_Withheld = Field(
    description="True if at least 70 % of last year's professional income bore retention: no form 130 (art. 109 of "
    "RD 439/2007)"
)


_MAY_BE_UNKNOWN = frozenset({"last_year_net_income", "provisional_percent"})
"""Fields of which a change may say that they are not known from its day on."""


class CensusChange(TaxProfile):
    """Change of the census: what it gives holds from its day on; what it leaves out stays as it was.

    A null states that the net income or the percent is not known from that day on; elsewhere it is like leaving out.
    """

    since: Annotated[date, Field(description="First day of the change")]
    territory: Annotated[Territory | None, _Territory] = None
    estimation: Annotated[EstimationMode | None, _Estimation] = None
    last_year_net_income: Annotated[Amount | None, _NetIncome] = None
    exempt_from_390: Annotated[bool | None, _ExemptFrom390] = None
    prorrata: Annotated[Prorrata | None, _Prorrata] = None
    provisional_percent: Annotated[int | None, _Percent] = None
    cash_accounting: Annotated[bool | None, _Cash] = None
    monthly_refunds: Annotated[bool | None, _Refund] = None
    filing: Annotated[FilingPeriod | None, _Filing] = None
    surcharge_regime: Annotated[bool | None, _Surcharge] = None
    income_mostly_withheld: Annotated[bool | None, _Withheld] = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.stated():
            raise refusal("change_empty", TaxProfileMsg.CHANGE_EMPTY)
        return self

    def stated(self) -> dict[str, object]:
        """Return the values that hold from the day on, by field."""
        values = {name: getattr(self, name) for name in self.model_fields_set - {"since"}}
        return {name: value for name, value in values.items() if value is not None or name in _MAY_BE_UNKNOWN}

    @model_serializer(mode="wrap")
    def _as_given(self, serialize: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Leave out what the change leaves out, since a null states something."""
        names = {*self.model_fields_set, *map(to_camel, self.model_fields_set)}
        return {name: value for name, value in serialize(self).items() if name in names}


class SpanishTaxProfile(TaxProfile):
    """Tax profile of an account. `census_changes` alter it from a day on: read it by `on`."""

    person: Annotated[PersonKind, Field(description="`natural_person` (freelancer) or `company`")] = (
        PersonKind.NATURAL_PERSON
    )
    surnames: Annotated[
        str | None,
        Field(
            description="Surnames of a natural person in the files of the forms; null: what stands before the comma of "
            "the account's name, which is whole without one",
            min_length=1,
            max_length=60,
        ),
    ] = None
    first_name: Annotated[
        str | None, Field(description="First name that goes with `surnames`", min_length=1, max_length=20)
    ] = None
    contact: Annotated[
        Contact | None,
        Field(
            description="Person to ask about forms 180, 190, 347 and 349; null: a natural person with the account's "
            "telephone"
        ),
    ] = None
    territory: Annotated[Territory | None, _Territory] = None
    activities: Annotated[
        tuple[Activity, ...], Field(description="Activities of the census, the main one first", max_length=6)
    ] = ()
    estimation: Annotated[EstimationMode, _Estimation] = EstimationMode.SIMPLIFIED
    last_year_net_income: Annotated[Amount | None, _NetIncome] = None
    home_loan: Annotated[
        bool, Field(description="True if a home loan from before 2013 is deducted (form 130, box 16)")
    ] = False
    exempt_from_390: Annotated[bool, _ExemptFrom390] = False
    prorrata: Annotated[Prorrata, _Prorrata] = Prorrata.NONE
    provisional_percent: Annotated[int | None, _Percent] = None
    cash_accounting: Annotated[bool, _Cash] = False
    monthly_refunds: Annotated[bool, _Refund] = False
    filing: Annotated[FilingPeriod, _Filing] = FilingPeriod.QUARTERLY
    surcharge_regime: Annotated[bool, _Surcharge] = False
    income_mostly_withheld: Annotated[bool, _Withheld] = False
    withholding_date: Annotated[
        WithholdingDate,
        Field(
            description="Day by which forms 111, 115, 180 and 190 place a retention: `payment` (of the first payment; "
            "what is not paid is in none) or `document`"
        ),
    ] = WithholdingDate.PAYMENT
    declares_withheld_sales: Annotated[
        bool,
        Field(
            description="True if form 347 includes sales of which the client withheld income tax, which its own form "
            "190 declares (RD 1065/2007, art. 33.2.i)"
        ),
    ] = False
    bank_abroad: Annotated[
        BankAbroad | None, Field(description="Bank of `iban` where a 303 asks for a refund abroad (type X)")
    ] = None
    leased_properties: Annotated[
        tuple[LeasedProperty, ...],
        Field(description="Properties rented whose address or situation form 180 has to state", max_length=100),
    ] = ()
    employees: Annotated[
        tuple[Employee, ...], Field(description="Employees whose details form 190 has to state", max_length=100)
    ] = ()
    census_changes: Annotated[
        tuple[CensusChange, ...],
        Field(description="Changes of the above by the day from which they hold", max_length=60),
    ] = ()

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        days = [change.since for change in self.census_changes]
        if len(set(days)) < len(days):
            raise refusal("change_repeated", TaxProfileMsg.CHANGE_REPEATED)
        for state in (self, *(self.on(day) for day in days)):
            state._check()  # noqa: SLF001 - the same class, at another day
        return self

    def _check(self) -> None:
        if self.first_name and not self.surnames:
            raise refusal("first_name_alone", TaxProfileMsg.FIRST_NAME_ALONE)
        if self.person is PersonKind.COMPANY and self.estimation is EstimationMode.MODULES:
            raise refusal("company_modules", TaxProfileMsg.COMPANY_MODULES)
        if self.person is PersonKind.COMPANY and self.home_loan:
            raise refusal("company_home_loan", TaxProfileMsg.COMPANY_HOME_LOAN)
        if self.provisional_percent is not None and self.prorrata is not Prorrata.GENERAL:
            raise refusal("percent_without_prorrata", TaxProfileMsg.PERCENT_WITHOUT_PRORRATA)

    def at(self, owner: Party) -> Self:
        """Return the profile with the territory of the account's address, unless it states one; common for abroad."""
        if self.territory is not None:
            return self
        by_address = territory_of(owner) if owner.country == "ES" else Territory.COMMON
        return self.model_copy(update={"territory": by_address})

    def on(self, day: date) -> Self:
        """Return the profile as it stands on a day, without further changes."""
        stated: dict[str, object] = {"census_changes": ()}
        for change in sorted(self.census_changes, key=lambda change: change.since):
            if change.since <= day:
                stated |= change.stated()
        state = self.model_copy(update=stated)
        if state.prorrata is not Prorrata.GENERAL and "provisional_percent" not in stated:
            return state.model_copy(update={"provisional_percent": None})
        return state

    @property
    def files_monthly(self) -> bool:
        """Period of the 303: monthly for large companies and for monthly refunds (RD 1624/1992, art. 71.3)."""
        return self.monthly_refunds or self.filing is FilingPeriod.MONTHLY

    @property
    def files_390(self) -> bool:
        """Duty to file the yearly summary: who files monthly keeps books at the agency and is exempt (art. 71.1)."""
        return not (self.exempt_from_390 or self.files_monthly or self.surcharge_regime)

    @property
    def started(self) -> date | None:
        """First day of the earliest activity; None where any is without one, or there is none."""
        days = [activity.since for activity in self.activities]
        return min((day for day in days if day), default=None) if days and all(days) else None


def spanish(profile: TaxProfile) -> SpanishTaxProfile:
    """Return the profile as one of Spain. Raises TypeError for another country's."""
    if not isinstance(profile, SpanishTaxProfile):
        raise TypeError(f"{type(profile).__name__} is no profile of Spain")
    return profile
