"""Origin of a document: recorded or issued with ledgerkit, or by other software and imported."""

from typing import Annotated, Literal

from pydantic import Field

EXTERNAL = "external"

Origin = Annotated[
    Literal["own", "external"], Field(description="`external`: of other software, imported as it is, and locked")
]
