"""Finding text whatever its case and accents, at the same cost in a thousand records and in a hundred thousand.

A record's `search_text` is folded text. `core/records` keeps its words in `search_word` with every write, and from
there the candidates for a query come by one word's beginning; they are then held against the whole query.
"""

import re
import unicodedata
from typing import Any

from sqlalchemy import (
    ARRAY,
    Column,
    ColumnElement,
    PrimaryKeyConstraint,
    Table,
    Text,
    Uuid,
    and_,
    any_,
    bindparam,
    func,
    text,
)

from ledgerkit.core.db import account_table

MAX_QUERY = 200
LONGEST_WORD = 40
MANY = 1_000
MOST_WORDS = 5_000
"""Of one record; no person writes more."""

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\D+(\d+)")
_LAST = "\U0010ffff"
"""After every character that a word can have."""

search_word = account_table(
    "search_word",
    Column("kind", Text, nullable=False),
    Column("word", Text(collation="C"), nullable=False),
    Column("entity_id", Uuid, nullable=False),
    PrimaryKeyConstraint("account_id", "kind", "word", "entity_id"),
    append_only=True,
    erasable=True,
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


_CANDIDATES = """
select candidate.entity_id
from (
    select word, past from unnest(cast(:words as text[]), cast(:ends as text[])) sought(word, past)
    order by (
        select count(*) from (
            select 1 from search_word one
            where one.kind = '{kind}' and one.word >= sought.word and one.word < sought.past limit {many}
        ) few
    ) limit 1
) rarest
join search_word candidate
    on candidate.kind = '{kind}' and candidate.word >= rarest.word and candidate.word < rarest.past
"""
"""Records that have the rarest of the query's words; to find that one, none is counted beyond MANY.

Bounds are given, not reckoned here: behind row-level security only bare comparisons may use the index.
"""


def contains(table: Table) -> ColumnElement[bool]:
    """Rows whose folded text contains the query, its rarest word at a word's beginning. Parameters: `sought`."""
    found = text(_CANDIDATES.format(kind=table.name, many=MANY)).columns(search_word.c.entity_id)
    candidates: ColumnElement[Any] = func.array(found.scalar_subquery(), type_=ARRAY(Uuid))
    whole = table.c.search_text.like(bindparam("pattern", type_=Text), escape="/")
    return and_(table.c.id == any_(candidates), whole)


def sought(query: str) -> dict[str, Any]:
    """Values of the parameters of `contains`. The query is taken literally: `%` and `_` in it are no wildcards."""
    folded = fold(query[:MAX_QUERY].strip())
    found = tuple(dict.fromkeys(word[:LONGEST_WORD] for word in _WORD.findall(folded))) or ("",)
    literal = folded.replace("/", "//").replace("%", "/%").replace("_", "/_")
    return {"pattern": f"%{literal}%", "words": found, "ends": tuple(word + _LAST for word in found)}
