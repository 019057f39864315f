"""Whether the user of this account bills for several issuers, as every record and event says (docs/adr/0023).

The user is whoever owns the account: people invited to it, and keys of it, work for that owner. A billing is an account
of that owner that may bill or has billed under the same channel: one with a tax identifier, the same one twice
included, or with a chain, whatever became of it. So is another issuer's chain in this very account.
Source: Orden HAC/1177/2024, annex, IndicadorMultiplesOT; AEAT, FAQ for developers 1.3, section 4 (software as a
service).
"""

from typing import Any

from sqlalchemy import ColumnElement, Text, Uuid, bindparam, or_, select

from ledgerkit.core.database.statements import Prepared
from ledgerkit.core.einvoice.models import fiscal_installation
from ledgerkit.core.einvoice.outbox.models import fiscal_sender
from ledgerkit.core.identity import accounts
from ledgerkit.core.request.context import Context
from ledgerkit.providers.api import Environment


def several_issuers() -> ColumnElement[bool]:
    """The same as a value to select, with the parameters of `about`: no round trip of its own under a chain's lock."""
    other = fiscal_installation.alias("other")
    beside = other.c.environment == bindparam("environment", type_=Text)
    foreign = other.c.issuer_tax_id != bindparam("issuer_tax_id", type_=Text)
    owned = accounts.also_owned(bindparam("billing_account", type_=Uuid))
    may = (owned.c.country == bindparam("billing_country", type_=Text)) & owned.c.tax_id.is_not(None)
    has = select(fiscal_sender.c.account_id).where(fiscal_sender.c.account_id == owned.c.id).exists()
    here, elsewhere = select(other.c.id).where(beside, foreign), select(owned.c.id).where(or_(may, has))
    return or_(here.exists(), elsewhere.exists())


def query_parameters(ctx: Context, channel: str, environment: Environment, issuer_tax_id: str) -> dict[str, Any]:
    """Parameters of `several`, for a chain in this account."""
    return {
        "environment": environment.value,
        "issuer_tax_id": issuer_tax_id,
        "billing_account": ctx.account.id,
        "billing_country": _country_of(ctx, channel),
    }


async def bills_for_several(ctx: Context, head: Any) -> bool:
    """The same asked by itself, for the chain whose head this is."""
    mine = query_parameters(ctx, head.channel, Environment(head.environment), head.issuer_tax_id)
    found: bool = (await _SEVERAL.one(ctx.db, **mine)).several_issuers
    return found


def _country_of(ctx: Context, channel: str) -> str:
    """Whose channel it is, whatever country the account says it is in now."""
    countries = ctx.kernel.countries.countries.values()
    found = (country.code for country in countries if any(one.id == channel for one in country.channels))
    return next(found, ctx.account.country)


_SEVERAL = Prepared(select(several_issuers().label("several_issuers")))
