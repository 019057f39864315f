"""Authorities to which an account files its forms, by the territory in which it is taxed.

- VAT and its lists (303, 390, 349): in the Basque Country and Navarre their treasuries' (Ley 12/2002, arts. 26 to 29;
  Ley 28/1990, arts. 32 to 35); in the Canary Islands, Ceuta and Melilla there is no VAT (Ley 37/1992, art. 3).
- Instalments and retentions of rent (130, 115, 180): foral ones by residence and by the payer's domicile (Ley 12/2002,
  arts. 6 to 11; Ley 28/1990, arts. 8 to 15). The rest of Spain pays them to the State.
- Retentions of work (111, 190): to the territory where the work is done, so that a foral payer may owe the State those
  of employees who work outside (Ley 12/2002, art. 7; Ley 28/1990, art. 10).
- Operations with others (347): foral ones of who is inspected there (Ley 12/2002, art. 46). In the Canary Islands
  form 415 (Decreto 192/2000), beside what RD 1065/2007, art. 31, asks of everybody.
- Who turned over more than 12 million euros and sells in several territories files VAT to each by its share (Ley
  12/2002, art. 27, by Ley 3/2025; Ley 28/1990, by Ley 4/2025): its profile states the territory.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ledgerkit.providers.api import FilingNotice, FilingPlace
from ledgerkit.providers.es.tax_forms.messages import FilingMsg
from ledgerkit.providers.es.tax_forms.profile import SpanishTaxProfile
from ledgerkit.providers.es.territories import RULES, SalesTax, Territory
from ledgerkit.texts import MessageId, problem_text

_OF_VAT = frozenset({"303", "390", "349"})
_OF_WORK = frozenset({"111", "190"})

_OWN_FORMS: Mapping[tuple[Territory, str], str] = MappingProxyType(
    {
        (Territory.BIZKAIA, "303"): "303",
        (Territory.NAVARRA, "303"): "F-69",
        (Territory.CANARIAS, "303"): "420",
        (Territory.CANARIAS, "390"): "425",
        (Territory.CANARIAS, "347"): "415",
    }
)
"""Forms of other authorities that were read of, in the place of a form of the AEAT.

Bizkaia: its instructions of form 303. Navarre: Orden Foral 280/2006. Canary Islands: Decretos 268/2011 and 192/2000.
"""


def filing_notice(form: str, profile: SpanishTaxProfile) -> FilingNotice | None:
    """Return what an account is told about the place of a form, by its profile on the day; None in common territory."""
    territory = profile.territory
    if territory is None:
        return FilingNotice(place=FilingPlace.UNKNOWN, text=problem_text(FilingMsg.UNKNOWN, {}))
    if RULES[territory].is_foral:
        return _foral(form, territory)
    if form in _OF_VAT and RULES[territory].sales_tax is not SalesTax.VAT:
        return _elsewhere(form, territory, FilingMsg.OTHER_TAX, FilingMsg.OTHER_TAX_OWN_FORM, FilingMsg.VAT_TOO)
    if territory is Territory.CANARIAS and form == "347":
        return _notice(FilingPlace.ALSO_ELSEWHERE, form, territory, FilingMsg.THIRD_PARTIES_TOO)
    return None


def _foral(form: str, territory: Territory) -> FilingNotice:
    if form in _OF_WORK:
        return _notice(FilingPlace.MOSTLY_ELSEWHERE, form, territory, FilingMsg.WORK)
    remedy = FilingMsg.SHARES if form in _OF_VAT else FilingMsg.OTHER_DOMICILE
    return _elsewhere(form, territory, FilingMsg.FORAL, FilingMsg.FORAL_OWN_FORM, remedy)


def _elsewhere(
    form: str, territory: Territory, message: FilingMsg, with_own_form: FilingMsg, remedy: FilingMsg
) -> FilingNotice:
    chosen = with_own_form if (territory, form) in _OWN_FORMS else message
    return _notice(FilingPlace.ELSEWHERE, form, territory, chosen, remedy)


def _notice(
    place: FilingPlace, form: str, territory: Territory, message: FilingMsg, remedy: MessageId | None = None
) -> FilingNotice:
    rules = RULES[territory]
    values = {
        "form": form,
        "authority": rules.sales_tax_authority,
        "tax": rules.sales_tax,
        "own": _OWN_FORMS.get((territory, form), ""),
    }
    return FilingNotice(place=place, text=problem_text(message, values, remedy))
