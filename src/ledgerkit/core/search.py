"""Finding text whatever its case and accents, at the same cost in a thousand records and in a hundred thousand.

A record's `search_text` is folded text. `core/records` keeps its words in `search_word` with every write, and from
there the candidates for a query come by one word's beginning; they are then held against the whole query.
"""

import re
import unicodedata
from typing import Any

from sqlalchemy import Column, ColumnElement, PrimaryKeyConstraint, Table, Text, Uuid, and_, bindparam, select

from ledgerkit.core.db import account_table
from ledgerkit.core.statements import constant

MAX_QUERY = 200
LONGEST_WORD = 40
MOST_WORDS = 5_000
"""Of one record; no person writes more."""

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\D+(\d+)")
_LAST = "\U0010ffff"

search_word = account_table(
    "search_word",
    Column("kind", Text, nullable=False),
    Column("word", Text(collation="C"), nullable=False),
    Column("entity_id", Uuid, nullable=False),
    PrimaryKeyConstraint("account_id", "kind", "word", "entity_id"),
    append_only=True,
    keyed=False,
)
"""Every word that a record's text has ever had; a word it has lost leads to a candidate that does not hold."""


def fold(*parts: str | None) -> str:
    """Lower case without accents, parts joined by a space: what is stored beside a record to be searched."""
    joined = " ".join(part for part in parts if part)
    plain = "".join(c for c in unicodedata.normalize("NFKD", joined) if not unicodedata.combining(c))
    return plain.casefold()


def words(folded: str) -> list[str]:
    """The distinct words of a folded text; of one like `f2026` its digits too."""
    found = dict.fromkeys(word[:LONGEST_WORD] for word in _WORD.findall(folded))
    numbers = [match[1] for word in found if (match := _NUMBER.fullmatch(word))]
    return list(dict.fromkeys([*found, *numbers]))[:MOST_WORDS]


def contains(table: Table) -> ColumnElement[bool]:
    """Rows whose folded text contains the query, its longest word at a word's beginning. Parameters: `sought`."""
    from_word, to_word = (bindparam(name, type_=Text) for name in ("from_word", "to_word"))
    word = search_word.c.word
    candidates = select(search_word.c.entity_id).where(
        search_word.c.kind == constant(table.name), word >= from_word, word < to_word
    )
    text = table.c.search_text.like(bindparam("pattern", type_=Text), escape="/")
    return and_(table.c.id.in_(candidates), text)


def sought(query: str) -> dict[str, Any]:
    """Values of the parameters of `contains`. The query is taken literally: `%` and `_` in it are no wildcards."""
    text = fold(query[:MAX_QUERY].strip())
    longest = max(reversed(_WORD.findall(text)), key=len, default="")[:LONGEST_WORD]
    literal = text.replace("/", "//").replace("%", "/%").replace("_", "/_")
    return {"pattern": f"%{literal}%", "from_word": longest, "to_word": longest + _LAST}
