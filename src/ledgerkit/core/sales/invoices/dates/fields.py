"""Dates of a draft as callers send them."""

from typing import Annotated

from pydantic import Field

from ledgerkit.core.platform.api_types.fields import Day, Flag
from ledgerkit.core.platform.api_types.wire import Wire


class DateFields(Wire):
    """Dates of a draft. A date that is not stated, or cleared by null, follows from the day of issue and the term."""

    issue_date: Annotated[
        Day | None,
        Field(
            description="Date of the document, by default the day of its issue; sending back the date that an undated "
            "draft reads is none"
        ),
    ] = None
    issue_date_stated: Annotated[
        Flag | None, Field(description="true: issueDate, or the day that reads, is fixed; false: it is not stated")
    ] = None
    due_date: Annotated[
        Day | None,
        Field(
            description="Day by which it is to be paid; default: it follows issueDate by the client's or team's term"
        ),
    ] = None
    due_date_stated: Annotated[
        Flag | None, Field(description="true: dueDate is fixed; false: it follows issueDate")
    ] = None
