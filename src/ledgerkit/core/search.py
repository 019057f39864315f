"""Finding text whatever its case and accents."""

import unicodedata

from sqlalchemy import ColumnElement

MAX_QUERY = 200


def fold(*parts: str | None) -> str:
    """Lower case without accents, parts joined by a space: what is stored beside a record to be searched."""
    joined = " ".join(part for part in parts if part)
    plain = "".join(c for c in unicodedata.normalize("NFKD", joined) if not unicodedata.combining(c))
    return plain.casefold()


def contains(column: ColumnElement[str], query: str) -> ColumnElement[bool]:
    """Rows whose folded text contains the query, taken literally: `%` and `_` are no wildcards."""
    return column.contains(fold(query[:MAX_QUERY].strip()), autoescape=True)
