"""What may still be changed of an issued invoice that is reported, or has to be.

What its paper shows is put right by a credit note. What only the record tells can be changed, and the record corrected
(POST /api/einvoice/emit with `correct`). As long as the authority holds nothing, because it refused the record, the
data that it refused can be mended, as long as all amounts, the number and the date stay.
Source: RD 1619/2012 art. 15 (what takes a corrective invoice); RRSIF and the tax agency's FAQ (what takes a record).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ledgerkit.core.documents import einvoicing_state
from ledgerkit.core.invoices.posting import standing
from ledgerkit.core.invoices.posting.standing import Standing
from ledgerkit.core.invoices.rendering import PrintedDocument, printed_invoice
from ledgerkit.core.request.context import Context
from ledgerkit.problems import Code, Invalid, Words, bilingual

_ALWAYS = {"notes", "due_date", "search_text"}
_OF_THE_RECORD_ONLY = {*_ALWAYS, "items", "tax_breakdown", "operation_description", "fiscal_details"}
_AMOUNTS = {
    "issue_date",
    "currency",
    "tax_rate",
    "retention_rate",
    "prices_include_tax",
    "subtotal",
    "tax_amount",
    "surcharge_amount",
    "retention_amount",
    "total",
    "correction_method",
}
_AMOUNTS_OF_ITEM = ("quantity", "unitPrice", "discount", "taxRate", "surchargeRate", "purchaseCost", "lineTotal")
_GOODS_OF_ITEM = ("catalogItemId", "variantIndex", "unit")


class Changed:
    """A row as it will be once `values` are written."""

    def __init__(self, row: Any, values: Mapping[str, Any]) -> None:
        self._row, self._values = row, values

    def __getattr__(self, name: str) -> Any:
        return self._values[name] if name in self._values else getattr(self._row, name)


async def check(ctx: Context, old: Any, new: Any, columns: Iterable[str]) -> None:
    """Whether an emitted invoice may become `new`, differing in `columns`.

    Raises Invalid INVOICE_LOCKED with the way to go instead, INVOICE_ANNULLED.
    """
    standing.check_in_force(old)
    changed = set(columns)
    if changed <= _ALWAYS:
        return
    match Standing(old.fiscal_standing):
        case Standing.OPEN:
            raise _waiting(old.number)
        case Standing.REFUSED:
            if not _amounts_stay(old, new, changed):
                raise _numbered(old.number)
        case _:
            if not changed <= _OF_THE_RECORD_ONLY or not await _same_paper(ctx, old, new):
                raise _locked(old.number)


def check_unrecorded(old: Any, new: Any, columns: Iterable[str]) -> None:
    """Whether an issued document that lacks its record may become `new` while e-invoicing is on.

    It may be mended so that it can be emitted; its amounts, number and date stay. Raises Invalid INVOICE_LOCKED.
    """
    if not _amounts_stay(old, new, set(columns)):
        raise _unrecorded(old.number)


def check_deletable(ctx: Context, row: Any) -> None:
    """Raises Invalid INVOICE_LOCKED for an issued document that lacks its record while e-invoicing is on."""
    if row.status != "draft" and row.einvoice is None and einvoicing_state.is_on(ctx):
        raise _unrecorded(row.number)


def _amounts_stay(old: Any, new: Any, changed: set[str]) -> bool:
    return not changed & _AMOUNTS and _alike(old, new, _AMOUNTS_OF_ITEM + _GOODS_OF_ITEM)


def _alike(old: Any, new: Any, names: Iterable[str]) -> bool:
    """Whether the lines agree in these fields, one by one."""
    ours, theirs = ([[item[name] for name in names] for item in row.items] for row in (old, new))
    return ours == theirs


async def _same_paper(ctx: Context, old: Any, new: Any) -> bool:
    """Whether nobody who holds the invoice could see a difference; notes and dueDate apart."""
    return _alike(old, new, _GOODS_OF_ITEM) and await _printed(ctx, old, old) == await _printed(ctx, new, old)


async def _printed(ctx: Context, row: Any, like: Any) -> PrintedDocument:
    free = {name: getattr(like, name) for name in ("notes", "due_date")}
    return await printed_invoice.printed_document(ctx, Changed(row, free))


def _waiting(number: str) -> Invalid:
    return _refusal(
        (
            f"{number} is on its way to the tax authority; until it answers, only notes and dueDate can be changed.",
            "Wait for the answer (GET /api/einvoice/status/{id}), or issue a credit note afterwards.",
        ),
        (
            f"{number} va camino de la administración; hasta que conteste solo se pueden cambiar notes y dueDate.",
            "Espera la respuesta (GET /api/einvoice/status/{id}), o rectifícala después.",
        ),
    )


def _numbered(number: str) -> Invalid:
    mend = "Mend the client, the operation date, texts and codes only, and emit it again."
    remienda = "Corrige solo el cliente, la fecha de operación, textos y códigos, y vuelve a emitirla."
    return _refusal(
        (
            f"{number} was refused by the tax authority, but its number, date and amounts stay as they were issued.",
            f"{mend} Amounts take a credit note: POST /api/einvoice/credit-note.",
        ),
        (
            f"La administración rechazó {number}, pero su número, fecha e importes quedan como se emitieron.",
            f"{remienda} Los importes se corrigen con una rectificativa: POST /api/einvoice/credit-note.",
        ),
    )


def _unrecorded(number: str) -> Invalid:
    why = "while e-invoicing is on it stays, and so do its number, date and amounts"
    causa = "con la facturación electrónica activada no se borra, y su número, fecha e importes quedan como están"
    annul, anula = "annul it afterwards if it should never have been issued", "anúlala después si nunca debió expedirse"
    return _refusal(
        (
            f"{number} was issued without a fiscal record: {why}.",
            f"Emit it (POST /api/einvoice/emit), and {annul}; or issue a credit note.",
        ),
        (
            f"{number} se expidió sin registro de facturación: {causa}.",
            f"Emítela (POST /api/einvoice/emit), y {anula}; o rectifícala.",
        ),
    )


def _locked(number: str) -> Invalid:
    why = "what its paper shows cannot be changed, except notes and dueDate"
    causa = "lo que se ve en su papel no se puede cambiar, salvo notes y dueDate"
    return _refusal(
        (
            f"{number} has been reported to the tax authority: {why}.",
            "Issue a credit note with POST /api/einvoice/credit-note.",
        ),
        (
            f"{number} se ha comunicado a la administración tributaria: {causa}.",
            "Emite una rectificativa con POST /api/einvoice/credit-note.",
        ),
    )


def _refusal(english: Words, spanish: Words) -> Invalid:
    return bilingual(Invalid, english, spanish, code=Code.INVOICE_LOCKED)
