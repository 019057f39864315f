"""What a team may say of its e-invoicing: off before its first record, on where documents can be reported."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.documents.einvoicing_state import Off
from ledgerkit.core.request.context import AccountProfile, Context
from ledgerkit.problems import Code, Conflict, Invalid, bilingual, bilingual_field

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
    return bilingual(
        Conflict,
        (
            "This team has fiscal records: e-invoicing cannot be switched off any more.",
            "Leave it on. What was issued wrongly takes a credit note; another business takes a team of its own.",
        ),
        (
            "Este equipo ya tiene registros de facturación: la facturación electrónica ya no se puede desactivar.",
            "Déjala activada. Lo mal expedido se rectifica; otro negocio necesita su propio equipo.",
        ),
        code=Code.EINVOICING_STARTED,
    )


def _impossible(lacking: Off, country: str) -> Invalid:
    if lacking is Off.NO_TAX_ID:
        return bilingual_field(
            "einvoicing",
            ("cannot be on without a tax identifier", "Send taxId with it."),
            ("no se puede activar sin NIF", "Envía taxId a la vez."),
            code=Code.ISSUER_INCOMPLETE,
        )
    return bilingual_field(
        "einvoicing",
        (
            f"cannot be on: there is no electronic invoicing for {country} on this server",
            "GET /api/einvoice/providers lists the countries; install a country's package to add it.",
        ),
        (
            f"no se puede activar: en este servidor no hay facturación electrónica para {country}",
            "GET /api/einvoice/providers muestra los países; para añadir uno se instala su paquete.",
        ),
        code=Code.EINVOICE_UNSUPPORTED,
    )
