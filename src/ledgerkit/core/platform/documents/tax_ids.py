"""Tax identifiers of clients, vendors and third parties, checked by the rules of the account's country."""

from ledgerkit.core.platform.documents.country_codes import explained
from ledgerkit.core.platform.documents.texts import DocumentsMsg
from ledgerkit.core.platform.request.context import Context
from ledgerkit.problems import Code, Invalid
from ledgerkit.providers.api import TaxIdCheck
from ledgerkit.texts import Joined, ProblemText, Text, text


def check(ctx: Context, tax_id: str, country: str) -> TaxIdCheck:
    """Check an identifier by the country's rules; without a plug-in for the account's country every one passes."""
    if ctx.country is None:
        return TaxIdCheck(valid=True, normalised=tax_id.strip())
    return ctx.country.tax.check_tax_id(tax_id, country)


def doubts(ctx: Context, tax_id: str | None, country: str, field: str) -> list[str]:
    """Return what is doubtful in a tax id, which is accepted nevertheless; in the language of the request."""
    verdict = check(ctx, tax_id, country) if tax_id else None
    if verdict is None or verdict.valid:
        return []
    return [Joined((field, _reason(verdict)), ": ").in_language(ctx.request_metadata.language)]


def is_of_person(ctx: Context, tax_id: str | None, country: str) -> bool:
    """Return True for an identifier whose form shows that it is a natural person's, by the country's rules."""
    return bool(tax_id) and check(ctx, tax_id or "", country).of_person


def normalised(ctx: Context, tax_id: str | None, country: str, field: str, kind: str | None = None) -> str | None:
    """Return a tax identifier in its normal form; None for an empty one.

    Identifiers of other countries pass as they are, and so do identifiers that are no tax number but of a `kind` that
    the account's country defines. Raises Invalid TAX_ID_INVALID for a wrong identifier of the account's own country,
    Invalid for a `kind` that the country does not define.
    """
    if kind is not None:
        _check_kind(ctx, kind, field)
        return (tax_id or "").strip() or None
    if not tax_id:
        return None
    verdict = check(ctx, tax_id, country)
    if not verdict.valid and country == ctx.account.country:
        problem = ProblemText(_reason(verdict), text(DocumentsMsg.TAX_ID_CORRECT))
        raise Invalid.field(field, problem, code=Code.TAX_ID_INVALID)
    return verdict.normalised


def _reason(verdict: TaxIdCheck) -> Text:
    return verdict.reason or text(DocumentsMsg.TAX_ID_INVALID)


def _check_kind(ctx: Context, kind: str, field: str) -> None:
    defined_kinds = ctx.country.tax.tax_id_kinds if ctx.country else {}
    if kind in defined_kinds:
        return
    raise Invalid.field(f"{field}Kind", DocumentsMsg.TAX_ID_KIND_UNKNOWN, listed=explained(defined_kinds))
