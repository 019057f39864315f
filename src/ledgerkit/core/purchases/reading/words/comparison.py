"""Words of names and descriptions in the form in which they are compared: without case, accents and plural."""

import re
from functools import lru_cache

from ledgerkit.core.platform.records import search

_WORD = re.compile(r"[^\W\d_]{2,}")
_LONGEST = 40
_WITHOUT_MEANING = frozenset(
    {
        *("de", "del", "la", "las", "el", "los", "lo", "un", "una"),
        *("en", "con", "sin", "por", "para", "al", "su", "es"),
        *("the", "of", "and", "for", "to", "in", "with", "from", "your", "at", "on", "by"),
        *("sl", "sa", "slu", "sau", "sll", "scp", "cb", "ltd", "inc", "gmbh", "limited", "sociedad", "limitada"),
        *("factura", "recibo", "invoice", "receipt", "ticket", "compra", "pago", "num", "numero", "ref", "eur", "iva"),
    }
)
"""Words of any document, and legal forms of companies: they tell nothing about what was bought."""


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a folded word without the ending of its plural: `luz` and `luces`, `cliente` and `clientes` are one."""
    if len(word) <= 3:
        return word.replace("z", "c")
    singular = word.removesuffix("s") if len(word) > 4 else word
    return (singular.removesuffix("e") if len(singular) > 3 else singular).replace("z", "c")


def meaningful_words(*texts: str | None) -> tuple[str, ...]:
    """Return the stems of the words that tell something, each once, in their order; numbers are none."""
    words = _WORD.findall(search.searchable(*texts))
    return tuple(dict.fromkeys(stem(word[:_LONGEST]) for word in words if word not in _WITHOUT_MEANING))
