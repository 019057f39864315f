"""/api/countries."""

from ledgerkit.core.platform.countries import operations as countries
from ledgerkit.core.platform.countries.api import Country
from ledgerkit.routers.deps import Ctx
from ledgerkit.routers.routing import Router

router = Router(prefix="/api/countries", tags=["Countries"], about="What forms offer of a country's taxes.")


@router.get("/{code}", operation=countries.get, operation_id="getCountry")
async def get_country(ctx: Ctx, code: str) -> Country:
    """Return the tax rates with their days and surcharges, the exemptions and the reasons of credit notes.

    `code` is that of an installed country (ISO 3166 alpha-2), as a team's `country` names it. The answer changes with
    the server's version only: keep it.
    """
    return await countries.get(ctx, code)
