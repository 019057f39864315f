"""Finding text whatever its case and accents."""

import unicodedata

from sqlalchemy import ColumnElement, Text, bindparam

MAX_QUERY = 200


def fold(*parts: str | None) -> str:
    """Lower case without accents, parts joined by a space: what is stored beside a record to be searched."""
    joined = " ".join(part for part in parts if part)
    plain = "".join(c for c in unicodedata.normalize("NFKD", joined) if not unicodedata.combining(c))
    return plain.casefold()


def contains(column: ColumnElement[str]) -> ColumnElement[bool]:
    """Rows whose folded text contains what is sought: the statement's parameter `pattern`, made by `pattern`."""
    return column.like(bindparam("pattern", type_=Text), escape="/")


def pattern(query: str) -> str:
    """The query taken literally: `%` and `_` in it are no wildcards."""
    sought = fold(query[:MAX_QUERY].strip())
    return "%" + sought.replace("/", "//").replace("%", "/%").replace("_", "/_") + "%"
