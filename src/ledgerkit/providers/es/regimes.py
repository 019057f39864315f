"""Spain's regimes of invoicing: VERI*FACTU, the SII, and those of the foral treasuries.

Sources: RD 1007/2023 art. 3.3 exempts those who keep the record books through the SII (RD 1624/1992 art. 62.6), and
art. 2 what the Concierto (Ley 12/2002) and the Convenio (Ley 28/1990) leave to the foral treasuries. TicketBAI: Norma
Foral 3/2020 (Gipuzkoa), Norma Foral 13/2021 (Araba), Norma Foral 5/2020 (Batuz, Bizkaia).
"""

from collections.abc import Mapping, Sequence

from ledgerkit.providers.api import InvoicingRegime, Party, RegimeProposal
from ledgerkit.providers.es.messages import RegimeMsg
from ledgerkit.providers.es.territories import RULES, Territory, territory_of
from ledgerkit.texts import Text, text

VERIFACTU = "verifactu"
SII = "sii"
FORAL = "foral"

REGIMES: Sequence[InvoicingRegime] = (
    InvoicingRegime(
        key=VERIFACTU,
        name=text(RegimeMsg.VERIFACTU),
        explanation=text(RegimeMsg.VERIFACTU_EXPLAINED),
        is_recorded=True,
        source="Real Decreto 1007/2023, de 5 de diciembre",
    ),
    InvoicingRegime(
        key=SII,
        name=text(RegimeMsg.SII),
        explanation=text(RegimeMsg.SII_EXPLAINED),
        is_recorded=False,
        source="Real Decreto 1624/1992, arts. 62.6 y 69 bis; Real Decreto 1007/2023, art. 3.3",
    ),
    InvoicingRegime(
        key=FORAL,
        name=text(RegimeMsg.FORAL),
        explanation=text(RegimeMsg.FORAL_EXPLAINED),
        is_recorded=False,
        source="Ley 12/2002 (Concierto Económico); Ley 28/1990 (Convenio Económico)",
    ),
)

_FORAL_DUTIES: Mapping[Territory, RegimeMsg] = {
    Territory.ALAVA: RegimeMsg.TICKETBAI_DUTY,
    Territory.GIPUZKOA: RegimeMsg.TICKETBAI_DUTY,
    Territory.BIZKAIA: RegimeMsg.BATUZ_DUTY,
    Territory.NAVARRA: RegimeMsg.NAVARRA_DUTY,
}


class SpanishRegimes:
    """`InvoicingRegimes` of Spain."""

    regimes = REGIMES

    def duty(self, key: str, issuer: Party) -> Text | None:
        """Describe the duty elsewhere: with the SII, or with the foral treasury of the issuer's address."""
        if key == SII:
            return text(RegimeMsg.SII_DUTY)
        if key != FORAL:
            return None
        territory = territory_of(issuer)
        message = None if territory is None else _FORAL_DUTIES.get(territory)
        if territory is None or message is None:
            return text(RegimeMsg.FORAL_DUTY)
        return text(message, authority=RULES[territory].income_tax_authority)

    def proposal(self, issuer: Party) -> RegimeProposal | None:
        """Propose the foral regime to an issuer whose address is in a foral territory: 01, 20, 31, 48."""
        territory = territory_of(issuer)
        if territory is None or not RULES[territory].is_foral:
            return None
        authority = RULES[territory].income_tax_authority
        return RegimeProposal(key=FORAL, text=text(RegimeMsg.FORAL_PROPOSED, authority=authority))
