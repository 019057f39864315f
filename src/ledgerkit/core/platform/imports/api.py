"""Schemas of imports: the rows of a file, and the answer about them."""

from typing import Annotated, Any

from pydantic import Field, ModelWrapValidatorHandler, model_validator

from ledgerkit.core.platform.api_types.fields import Flag
from ledgerkit.core.platform.api_types.wire import Wire
from ledgerkit.core.platform.imports.csv_text import MAX_ROWS, CsvText
from ledgerkit.money import Sum


class DocumentRows(Wire):
    """Rows of documents that other software issued or recorded: objects of fields, or a CSV text."""

    rows: Annotated[
        list[Any],
        Field(
            max_length=MAX_ROWS,
            json_schema_extra={"items": {"type": "object"}},
            description="Numbers, days and booleans may be text, as `12,50`, `31/03/2026`, `sí`; empty text is an "
            "absent field; rows of the same number are one document",
        ),
    ]
    dry_run: Annotated[Flag, Field(description="Answer the same and store nothing")] = False

    @model_validator(mode="wrap")
    @classmethod
    def _from_csv(cls, value: object, handler: ModelWrapValidatorHandler["DocumentRows"]) -> "DocumentRows":
        return handler({"rows": value.rows()} if isinstance(value, CsvText) else value)


class ImportProblem(Wire):
    """One reason for which nothing was imported."""

    row: Annotated[int, Field(description="Counted from 1, without the header")]
    field: Annotated[str | None, Field(description="null: the whole row")]
    number: Annotated[str | None, Field(description="Of the document, as the row states it")]
    message: Annotated[str, Field(description="`row 3: taxAmount: ...`")]


class DocumentsImported(Wire):
    """All documents or none: with any error nothing is stored."""

    dry_run: bool
    """True where nothing was to be stored."""
    imported: Annotated[int, Field(description="Rows that were stored, or would be; 0 when any is wrong")]
    documents: Annotated[int, Field(description="Documents that the rows made, or would make; 0 when any is wrong")]
    total: Annotated[Sum, Field(description="Sum of the totals of the documents in the account's currency")]
    errors: list[ImportProblem]
    """Reasons for which nothing was imported; empty where all was."""
    warnings: list[str]
    """Doubts about what was imported, in words."""
