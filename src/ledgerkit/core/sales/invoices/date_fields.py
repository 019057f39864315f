"""Dates of a draft as callers send them."""

from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.fields import Day, Flag
from ledgerkit.core.platform.api_types.wire import Wire


class DateFields(Wire):
    """Dates of a draft. What is not stated, or is cleared by null, is the day of its issue and a term from there."""

    issue_date: Annotated[
        Day | None,
        Field(description="Default the day of its issue; sending back the date that an undated draft reads is none"),
    ] = None
    issue_date_stated: Annotated[
        Flag | None, Field(description="true: issueDate, or the day that reads, is fixed; false: it is not stated")
    ] = None
    due_date: Annotated[
        Day | None, Field(description="Default issueDate and the client's or team's term, which it follows")
    ] = None
    due_date_stated: Annotated[Flag | None, Field(description="As issueDateStated, of dueDate")] = None
