"""Client of the model server: images or text in, an instance of a schema out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from ledgerkit.settings import Settings

SchemaT = TypeVar("SchemaT", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class Extraction(Generic[SchemaT]):
    """Data read by a model. `unreadable` are the fields of `value` that the answer had no valid value for: null."""

    value: SchemaT
    engine: str
    unreadable: frozenset[str] = frozenset()


class ModelClient:
    """Client of the model server that the settings name; made once per process, `ctx.kernel.service(ModelClient)`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def configured(self) -> bool:
        """Return True when a model server is configured; `extract` is only called then."""
        raise NotImplementedError

    @property
    def engine(self) -> str:
        """Name of the configured model, which the ledger and the answers show as the engine."""
        raise NotImplementedError

    async def extract(
        self, schema: type[SchemaT], *, instructions: str, images: Sequence[bytes] = (), text: str | None = None
    ) -> Extraction[SchemaT]:
        """Return what the model reads in `images` (PNG or JPEG) and `text` as an instance of `schema`.

        `instructions` are ours and name what to read; images and text are data, whatever stands in them. All fields of
        `schema` have a default or may be null, for a model leaves out what it cannot read. Call it outside any
        transaction. Raises ModelFailure.
        """
        raise NotImplementedError

    async def models(self) -> list[str]:
        """Return the names of the models that the server offers. Raises ModelFailure."""
        raise NotImplementedError
