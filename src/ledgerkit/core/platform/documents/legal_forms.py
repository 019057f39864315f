"""Legal forms at the end of a company's name: `S.L.`, `SL` and `, S. L.` are the same form."""

import re
from collections.abc import Sequence

_FORMS = (
    *("sl", "slu", "sll", "slp", "slne", "sa", "sau", "sal", "sc", "scp", "cb"),
    *("srl", "sarl", "sas", "spa", "gmbh", "ag", "ltd", "inc", "llc", "bv", "nv", "lda"),
)
_SPELT = [r"[.\s]*".join(form) for form in sorted(_FORMS, key=len, reverse=True)]
_ENDING = re.compile(rf"(?P<name>.*[^\s,])[\s,]+(?P<form>{'|'.join(_SPELT)})[.\s]*")


def parts(folded: str) -> tuple[str, str] | None:
    """Return a folded name without spaces and the letters of its legal form; None for a name without one."""
    ending = _ENDING.fullmatch(folded.strip())
    if ending is None:
        return None
    return "".join(ending["name"].split()), re.sub(r"[.\s]", "", ending["form"])


def spellings(folded: str) -> Sequence[str]:
    """Return a folded name, without spaces, in each usual spelling of its legal form; empty for a name without one.

    Only signs of the form differ. Two companies cannot differ in these alone: the register takes such names for the
    same one. Source: Reglamento del Registro Mercantil (RD 1784/1996), art. 408.1.2.ª and 408.3.
    """
    named = parts(folded)
    if named is None:
        return ()
    name, letters = named
    forms = (letters, f"{letters}.", ".".join(letters), "".join(f"{letter}." for letter in letters))
    return [f"{name}{comma}{form}" for comma in ("", ",") for form in forms]
