"""Tool that sets up the company, or changes its profile."""

from ledgerkit.core.platform.api_types.json_answers import Json, as_json
from ledgerkit.core.platform.request.context import Context
from ledgerkit.core.platform.request.scopes import Scope
from ledgerkit.core.teams import operations as teams
from ledgerkit.core.teams.api import TeamAnswer, TeamChange, TeamInput
from ledgerkit.mcp_server.messages import McpMsg
from ledgerkit.mcp_server.shapes import Confirmable, body_of
from ledgerkit.mcp_server.tool import Tool
from ledgerkit.texts import text


class SavedCompany(Confirmable, TeamChange):
    """The company's profile. Absent fields keep their values; a bank account is confirmed."""


async def _save(ctx: Context, arguments: SavedCompany) -> Json:
    """Change the team that the connection works in; in a personal workspace make that one the company's.

    No other account is ever made or changed: a connection stays with the books that it was made for. The country of a
    new company is that of the workspace unless it is named.
    """
    if ctx.account.is_team:
        answer = await teams.update_current(ctx, body_of(TeamChange, arguments))
    else:
        if "country" not in arguments.model_fields_set:
            arguments = arguments.model_copy(update={"country": ctx.account.country})
        answer = await teams.set_up(ctx, body_of(TeamInput, arguments))
    return _about(ctx, answer)


def _about(ctx: Context, answer: TeamAnswer) -> Json:
    """Return the answer with the name of the company that all calls are about."""
    name = " ".join(filter(None, (answer.team.name, answer.team.tax_id)))
    message = text(McpMsg.CALLS_ARE_ABOUT, team=name).in_language(ctx.request_metadata.language)
    return {"message": message, **as_json(answer)}


TOOLS = (
    Tool(
        name="save_company",
        title="Begin or change our company (empresa)",
        description=(
            "Begin a company or change one's own data on invoices: name, tax id, address, IBAN, default IVA, payment "
            "term (pon nuevo ahora cambio calle nuestro nif salga avenida nave banco alta solo nombre ponga web; "
            "logo new now autónomo name iban moved trading account put bank upload swap)."
        ),
        scope=Scope.TEAM,
        operations=(teams.update_current, teams.set_up),
        arguments=SavedCompany,
        described=(
            "name",
            "taxId",
            "address",
            "postalCode",
            "city",
            "iban",
            "defaultTaxRate",
            "defaultRetentionRate",
            "paymentTermDays",
        ),
        run=_save,
    ),
)
