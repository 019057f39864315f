"""Authorities with which an account files a form, where it is not simply the one whose form it is."""

from dataclasses import dataclass
from enum import StrEnum

from ledgerkit.texts import ProblemText


class FilingPlace(StrEnum):
    """Place where an account files a form, where it is not simply with the authority whose form it is.

    ELSEWHERE: with another authority only, so that it is not computed. MOSTLY_ELSEWHERE: here for a part that the books
    do not tell apart; it is computed, and in no calendar. ALSO_ELSEWHERE: here, and something with another authority.
    UNKNOWN: nothing says where the account is taxed; it is taken to file here.
    """

    ELSEWHERE = "elsewhere"
    MOSTLY_ELSEWHERE = "mostly_elsewhere"
    ALSO_ELSEWHERE = "also_elsewhere"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class FilingNotice:
    """Notice to an account about where it files a form: `text` is a whole sentence, its remedy what to do."""

    place: FilingPlace
    text: ProblemText

    @property
    def is_due_here(self) -> bool:
        """Return True where the form belongs into the calendar."""
        return self.place in {FilingPlace.ALSO_ELSEWHERE, FilingPlace.UNKNOWN}
