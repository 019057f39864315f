"""File of form 390: what stands in it beside the boxes."""

from ledgerkit.money import ZERO
from ledgerkit.providers.api import FileInput, FormFile, TaxPeriod
from ledgerkit.providers.es.tax_forms import layouts, official_design, official_file
from ledgerkit.providers.es.tax_forms.declarant import declarant_id, declarant_name
from ledgerkit.providers.es.tax_forms.profile import Prorrata, SpanishTaxProfile, spanish
from ledgerkit.providers.es.tax_forms.vat import files
from ledgerkit.providers.es.tax_forms.vat.result_390 import FORM_390


def rendered(content: FileInput) -> FormFile:
    """Return the file. Raises IncompleteDeclarationError."""
    state = spanish(content.profile).on(content.period.span.last)
    name = declarant_name(content.owner, state)
    values: dict[str, layouts.Value] = {
        **files.amounts(FORM_390, content),
        "tax_id": declarant_id(content.owner),
        "surnames": name.surnames,
        "first_name": name.first_name,
        "monthly_refund_register": state.monthly_refunds,
        "cash_accounting": state.cash_accounting,
        "cash_accounting_recipient": not state.cash_accounting and bool(content.boxes.get("656", ZERO)),
        **files.activities(state.activities),
        **{f"activity_{place}": activity.description for place, activity in enumerate(state.activities, start=1)},
        **_prorrata(state, content.period),
    }
    if content.amends is not None:
        values |= {"substitute": True, "previous_receipt": content.amends.receipt_number}
    return official_file.written(FORM_390, content, values)


def _prorrata(state: SpanishTaxProfile, year: TaxPeriod) -> dict[str, layouts.Value]:
    if state.prorrata is Prorrata.NONE:
        return {}
    main = next((activity for activity in state.activities if activity.cnae), None)
    return {
        "prorata_1_activity": "" if main is None else main.description,
        "114": ""
        if main is None or main.cnae is None
        else main.cnae[: official_design.fields(FORM_390, year)["114"].length],
        "117": "G" if state.prorrata is Prorrata.GENERAL else "E",
    }
