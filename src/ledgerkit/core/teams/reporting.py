"""What a team may say of its e-invoicing: off before its first record, on where documents can be reported."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.documents.einvoicing_state import Off
from ledgerkit.core.request.context import AccountProfile, Context
from ledgerkit.core.teams.messages import TeamsMsg
from ledgerkit.problems import Code, Conflict, Invalid

_PROFILE = ("country", "tax_id", "einvoicing")


def unfounded(ctx: Context) -> AccountProfile:
    """The profile that a new team has before anything is said of it."""
    return replace(ctx.account, tax_id=None, einvoicing="on", recorded_in=())


def check(ctx: Context, values: Mapping[str, Any], old: AccountProfile) -> None:
    """Whether the profile `old` may take these columns.

    Raises Conflict EINVOICING_STARTED for `off` after the first record, Invalid for `on` where it cannot be on.
    """
    wanted = values.get("einvoicing")
    if wanted == "off" and einvoicing_state.has_started(ctx.kernel, old):
        raise _started()
    new = replace(old, **{name: values[name] for name in _PROFILE if name in values})
    lacking = einvoicing_state.off_because(ctx.kernel, new)
    if wanted == "on" and lacking is not None:
        raise _impossible(lacking, new.country)


def _started() -> Conflict:
    return Conflict(TeamsMsg.FISCAL_RECORDS_EXIST, code=Code.EINVOICING_STARTED)


def _impossible(lacking: Off, country: str) -> Invalid:
    if lacking is Off.NO_TAX_ID:
        return Invalid.field("einvoicing", TeamsMsg.EINVOICING_NEEDS_TAX_ID, code=Code.ISSUER_INCOMPLETE)
    return Invalid.field(
        "einvoicing", TeamsMsg.EINVOICING_NOT_IN_COUNTRY, code=Code.EINVOICE_UNSUPPORTED, country=country
    )
