"""Search of text whatever its case and accents, at the same cost in a thousand records and in a hundred thousand.

A record's `search_text` is made by `searchable`. `core/platform/records` stores its words in `search_word` with every
write, and from there the candidates for a query come by one word's beginning; they are then held against the whole
query.
"""

import re
import unicodedata
from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    PrimaryKeyConstraint,
    Table,
    Text,
    Uuid,
    all_,
    and_,
    any_,
    bindparam,
    func,
    text,
)

from ledgerkit.core.platform.database.row_types import StampedRow, column
from ledgerkit.core.platform.database.tables import account_table

MAX_QUERY = 200
LONGEST_WORD = 40
MANY = 1_000
MOST_WORDS = 5_000
"""Most words of one record; no person writes more."""

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\D+(\d+)")
_LAST = "\U0010ffff"
"""Character that sorts after every one that a word can have."""


class SearchWordRow(StampedRow):
    """One word that one record's search_text has ever had; searches find their candidates by it.

    A word that the record has lost only leads to a candidate that does not match.
    """

    kind: str = column("Name of the table that the record is in, as invoice or client.")
    word: str = column(
        "Word in lower case without accents, its first 40 characters; of one like f2026 the digits are a word too.",
        Text(collation="C"),
    )
    entity_id: UUID = column("Id of the record.")


search_word = account_table(
    "search_word",
    SearchWordRow,
    PrimaryKeyConstraint("account_id", "kind", "word", "entity_id"),
    erasable=True,
)


LETTERS = str.maketrans(
    {
        "æ": "ae",
        "ð": "d",
        "ø": "o",
        "þ": "th",
        "đ": "d",
        "ħ": "h",
        "\u0131": "i",
        "ĸ": "k",
        "ł": "l",
        "ŋ": "n",
        "œ": "oe",
        "ŧ": "t",
        "ƀ": "b",
        "ɖ": "d",
        "ə": "e",
        "ɨ": "i",
        "ɫ": "l",
        "ʉ": "u",
        "ⱥ": "a",
    }
)
"""Latin letters that Unicode does not decompose (NFKD), and what people type for them: ł and ø are no accents to it."""


def fold(*parts: str | None) -> str:
    """Lower case without accents, parts joined by a space: names and numbers of equal folded text are the same."""
    joined = " ".join(part for part in parts if part)
    plain = "".join(c for c in unicodedata.normalize("NFKD", joined) if not unicodedata.combining(c))
    return plain.casefold()


def searchable(*parts: str | None) -> str:
    """Folded text in which `LETTERS` are plain too: what is stored beside a record to be searched."""
    return fold(*parts).translate(LETTERS)


def words(folded: str) -> list[str]:
    """The distinct words of a folded text; of one like `f2026` its digits too."""
    distinct = dict.fromkeys(word[:LONGEST_WORD] for word in _WORD.findall(folded))
    numbers = [match[1] for word in distinct if (match := _NUMBER.fullmatch(word))]
    return list(dict.fromkeys([*distinct, *numbers]))[:MOST_WORDS]


_CANDIDATES = """
select candidate.entity_id
from (
    select word, past from unnest(cast(:words as text[]), cast(:ends as text[])) sought(word, past)
    order by (
        select count(*) from (
            select 1 from search_word one
            where one.account_id = :own_account and one.kind = '{kind}'
            and one.word >= sought.word and one.word < sought.past limit {many}
        ) few
    ) limit 1
) rarest
join search_word candidate
    on candidate.account_id = :own_account and candidate.kind = '{kind}'
        and candidate.word >= rarest.word and candidate.word < rarest.past
"""
"""Records that have the rarest of the query's words; to find that one, none is counted beyond MANY.

Bounds are given, not reckoned here: behind row-level security only bare comparisons may use the index.
"""


def contains(table: Table) -> ColumnElement[bool]:
    """Rows whose text contains every term of the query, each at a word's beginning. Parameters: `sought`."""
    candidate_ids = text(_CANDIDATES.format(kind=table.name, many=MANY)).columns(search_word.c.entity_id)
    candidates: ColumnElement[Sequence[UUID]] = func.array(candidate_ids.scalar_subquery(), type_=ARRAY(Uuid))
    of_all = {name: all_(bindparam(name, type_=ARRAY(Text))) for name in ("terms", "beginnings")}
    contains_terms = table.c.search_text.op("like", is_comparison=True)(of_all["terms"])
    at_word_beginnings = table.c.search_text.op("~", is_comparison=True)(of_all["beginnings"])
    return and_(table.c.id == any_(candidates), contains_terms, at_word_beginnings)


def filters(table: Table) -> dict[str, ColumnElement[bool]]:
    """`contains` as a filter of a listing, by the name of its first parameter."""
    return {"terms": contains(table)}


def parameters(query: str | None) -> dict[str, tuple[str, ...]]:
    """Values of the parameters of `contains`; none for a query without words, which is no filter."""
    return sought(query) if query and query.strip() else {}


def sought(query: str) -> dict[str, tuple[str, ...]]:
    """Values of the parameters of `contains`. What stands between spaces is one term, taken literally.

    Where there is one word only, the candidates begin with it, so that the costlier look for beginnings is spared.
    """
    folded = searchable(query[:MAX_QUERY].strip())
    terms = tuple(dict.fromkeys(folded.split()))
    query_words = tuple(dict.fromkeys(word[:LONGEST_WORD] for word in _WORD.findall(folded))) or ("",)
    return {
        "terms": tuple(f"%{_LIKE.sub(_ESCAPED, term)}%" for term in terms),
        "beginnings": tuple(map(_beginning, terms)) if len(query_words) > 1 else (),
        "words": query_words,
        "ends": tuple(word + _LAST for word in query_words),
    }


def beginnings(query: str) -> tuple[str, ...]:
    """Patterns of the query's terms, each at a word's beginning, for folded text of which no words are stored."""
    return tuple(map(_beginning, dict.fromkeys(searchable(query[:MAX_QUERY]).split())))


_LIKE, _ESCAPED = re.compile(r"([%_\\])"), r"\\\1"


def _beginning(term: str) -> str:
    """A pattern of PostgreSQL (its manual, 9.7.3) for a term at a word's beginning; its digits may follow letters."""
    if term[0].isdigit():
        return f"(^|[^[:digit:]]){re.escape(term)}"
    return f"(^|[^[:alnum:]_]){re.escape(term)}" if _WORD.match(term) else re.escape(term)
