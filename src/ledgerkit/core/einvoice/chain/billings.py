"""Several billings: the fact, stated in every record and event, that a user bills for several issuers (docs/adr/0023).

The user is the owner of the account: people invited to it, and its keys, work for that owner. A billing is an account
of that owner that may bill or has billed under the same channel. It has a tax identifier, which may be the same as
another's, or a chain, open or closed. The chain of another issuer in this very account is a billing too.
Source: Orden HAC/1177/2024, annex, IndicadorMultiplesOT; AEAT, FAQ for developers 1.3, section 4 (software as a
service).
"""

from sqlalchemy import ColumnElement, Text, Uuid, bindparam, or_, select

from ledgerkit.core.einvoice.outbox.table import fiscal_sender
from ledgerkit.core.einvoice.table import ChainHeadRow, fiscal_installation
from ledgerkit.core.platform.database.row_types import Row
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.identity.accounts import profiles as accounts
from ledgerkit.core.platform.request.context import Context
from ledgerkit.providers.api import Environment


def several_issuers() -> ColumnElement[bool]:
    """Build the condition, with the parameters of `query_parameters`.

    It is selected together with other columns, which saves a round trip while a chain is locked.
    """
    other_chain = fiscal_installation.alias("other")
    in_environment = other_chain.c.environment == bindparam("environment", type_=Text)
    of_other_issuer = other_chain.c.issuer_tax_id != bindparam("issuer_tax_id", type_=Text)
    owned = accounts.also_owned(bindparam("billing_account", type_=Uuid))
    may_bill = (owned.c.country == bindparam("billing_country", type_=Text)) & owned.c.tax_id.is_not(None)
    has_chain = select(fiscal_sender.c.account_id).where(fiscal_sender.c.account_id == owned.c.id).exists()
    in_account = select(other_chain.c.id).where(in_environment, of_other_issuer)
    in_other_accounts = select(owned.c.id).where(or_(may_bill, has_chain))
    return or_(in_account.exists(), in_other_accounts.exists())


def query_parameters(ctx: Context, channel: str, environment: Environment, issuer_tax_id: str) -> dict[str, object]:
    """Return the parameters of `several_issuers` for a chain in this account."""
    return {
        "environment": environment.value,
        "issuer_tax_id": issuer_tax_id,
        "billing_account": ctx.account.id,
        "billing_country": _country_of(ctx, channel),
    }


async def bills_for_several(ctx: Context, head: ChainHeadRow) -> bool:
    """Return True when the owner of the account bills for other issuers than that of the chain with this head."""
    parameters = query_parameters(ctx, head.channel, Environment(head.environment), head.issuer_tax_id)
    return (await _SEVERAL.one(ctx.db, **parameters)).several_issuers


def _country_of(ctx: Context, channel: str) -> str:
    """Return the country of a channel, whatever the account's country is now."""
    countries = ctx.kernel.countries.countries.values()
    codes = (country.code for country in countries if any(entry.id == channel for entry in country.channels))
    return next(codes, ctx.account.country)


class _SeveralRow(Row):
    several_issuers: bool


_SEVERAL = Prepared(select(several_issuers().label("several_issuers")), _SeveralRow)
