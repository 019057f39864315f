"""The person who writes, as far as the grammar has to know."""

from dataclasses import dataclass
from datetime import date

from ledgerkit.core.messaging.language.names import Names


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """Whoever writes: the day in their time zone, their language, and the names that they may mention."""

    today: date
    language: str
    clients: Names
    tasks: Names
