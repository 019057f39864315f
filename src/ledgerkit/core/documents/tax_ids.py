"""Tax identifiers of the parties one deals with, as the account's country judges them."""

from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code, bilingual_field
from ledgerkit.providers.api import TaxIdCheck


def check(ctx: Context, tax_id: str, country: str) -> TaxIdCheck:
    """The country's verdict; without a plug-in for the account's country every identifier passes."""
    if ctx.country is None:
        return TaxIdCheck(valid=True, normalised=tax_id.strip())
    return ctx.country.tax.check_tax_id(tax_id, country)


def normalised(ctx: Context, tax_id: str | None, country: str, field: str, kind: str | None = None) -> str | None:
    """Raises Invalid TAX_ID_INVALID for a wrong identifier of the account's own country; others pass as they are.

    So does one that is no tax number, but of a `kind` that the account's country knows. Raises Invalid for another.
    """
    if kind is not None:
        _check_kind(ctx, kind, field)
        return (tax_id or "").strip() or None
    if not tax_id:
        return None
    verdict = check(ctx, tax_id, country)
    if not verdict.valid and country == ctx.account.country:
        raise bilingual_field(
            field,
            (
                verdict.reason or "is not a valid tax identifier",
                "Correct the identifier, or set the party's country if it is a foreign one.",
            ),
            ("no es un NIF válido", "Corrígelo, o indica el país de la otra parte si es extranjero."),
            code=Code.TAX_ID_INVALID,
        )
    return verdict.normalised


def _check_kind(ctx: Context, kind: str, field: str) -> None:
    known = ctx.country.tax.tax_id_kinds if ctx.country else {}
    if kind in known:
        return
    listed = "; ".join(f"{key}: {text}" for key, text in known.items())
    raise bilingual_field(
        f"{field}Kind",
        ("is not known", f"Leave it out for a tax number. Known are: {listed or 'none'}."),
        ("no se conoce", f"No lo indiques para un número fiscal. Los hay: {listed or 'ninguno'}."),
    )
