"""Tax profile: facts about an account that the forms of a country need and no document states."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from sqlalchemy import Text, bindparam, func, select
from sqlalchemy.dialects.postgresql import insert

from ledgerkit.core.declarations import acts
from ledgerkit.core.declarations.computation import books
from ledgerkit.core.declarations.forms import installed as forms
from ledgerkit.core.declarations.forms.installed import COUNTRY_ERRORS
from ledgerkit.core.declarations.table import PROFILE, TaxProfileRow, tax_profile
from ledgerkit.core.platform.activity import operations as activity
from ledgerkit.core.platform.api_types import validation
from ledgerkit.core.platform.database.statements import Prepared
from ledgerkit.core.platform.records.texts import RecordsMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.operation import Effect, Unit, operation
from ledgerkit.core.platform.request.permissions import Permission
from ledgerkit.money import dumps_exact
from ledgerkit.problems import PreconditionFailed
from ledgerkit.providers.api import CountryProvider, TaxProfile

_COUNTRY = bindparam("country", type_=Text)
_OF_COUNTRY = select(tax_profile).where(tax_profile.c.country == _COUNTRY)
_STORED, _STORED_LOCKED = Prepared(_OF_COUNTRY, TaxProfileRow), Prepared(_OF_COUNTRY.with_for_update(), TaxProfileRow)
_GIVEN = bindparam("profile", type_=tax_profile.c.profile.type)
_KEEP = Prepared(
    insert(tax_profile)
    .values(country=_COUNTRY, profile=_GIVEN)
    .on_conflict_do_update(
        index_elements=["account_id", "country"],
        set_={"profile": _GIVEN, "version": tax_profile.c.version + 1, "updated_at": func.now()},
    )
    .returning(*tax_profile.c),
    TaxProfileRow,
)


@dataclass(frozen=True)
class ProfileView:
    """A tax profile as callers see it, and the version of its row: 0 where none was stored."""

    fields: dict[str, object]
    version: int


@operation(Permission.DECLARATIONS_READ, unit=Unit.READING, errors=COUNTRY_ERRORS)
async def read_profile(ctx: Context, country: str | None = None) -> ProfileView:
    """Return the account's tax profile for a country, default its own, with defaults for absent fields.

    Raises Invalid DECLARATION_UNSUPPORTED for a country that is not installed.
    """
    provider = forms.country_of(ctx, country)
    row = await _STORED.row(ctx.db, country=provider.code)
    return _view(await books.stored_profile(ctx, provider), 0 if row is None else row.version)


@operation(Permission.DECLARATIONS_WRITE, errors=COUNTRY_ERRORS, effects=Effect.IDEMPOTENT, act=acts.PROFILE)
async def change_profile(ctx: Context, fields: Mapping[str, object], country: str | None = None) -> ProfileView:
    """Change the given fields of the country's own model; absent fields keep their value.

    Raises Invalid naming each field that the model refuses, PreconditionFailed.
    """
    provider = forms.country_of(ctx, country)
    row = await _STORED_LOCKED.row(ctx.db, country=provider.code)
    version = 0 if row is None else row.version
    if not ctx.request_metadata.expects(version):
        raise PreconditionFailed(RecordsMsg.VERSION_CHANGED, what="tax profile", version=version)
    before = {} if row is None else PROFILE.decode(row.profile)
    profile = _validated(provider, {**before, **_by_alias(provider, fields)})
    after = profile.model_dump(by_alias=True, exclude_unset=True)
    stored_row = await _KEEP.one(ctx.db, country=provider.code, profile=PROFILE.encode(after))
    changed = activity.changed(before, PROFILE.decode(stored_row.profile))
    await activity.record(ctx, "updated", ("tax_profile", ctx.account.id), provider.code, changed)
    return _view(profile, stored_row.version)


def _by_alias(country: CountryProvider, fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields by the names on the wire, which are stored; the model takes its own names too."""
    aliases = {name: field.alias or name for name, field in country.tax_profile.model_fields.items()}
    return {aliases.get(name, name): value for name, value in fields.items()}


def _validated(country: CountryProvider, values: Mapping[str, object]) -> TaxProfile:
    try:
        return country.tax_profile.model_validate(values)
    except ValidationError as refused:
        errors = [{**error, "type": _TYPES.get(error["type"], error["type"])} for error in refused.errors()]
        raise validation.invalid(cast("list[ErrorDetails]", errors)) from None


_TYPES = {"value_error": "profile_value_error"}
"""Types of pydantic's errors that mean something else in requests: there, an address that is none."""


def _view(profile: TaxProfile, version: int) -> ProfileView:
    fields = json.loads(dumps_exact(profile.model_dump(by_alias=True)))
    return ProfileView(fields, version)
