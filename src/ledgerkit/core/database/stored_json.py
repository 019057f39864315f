"""Values in JSON columns: their stored form, and the one place where each kind is encoded and decoded."""

from functools import cached_property
from typing import Generic, TypeVar, cast, overload

from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel

T = TypeVar("T")


class StoredObject(BaseModel):
    """Base of the types of stored JSON objects: camelCase keys, in the order of the fields.

    That form is kept for years, and digests are made of it: a new field comes last and has a default. A key that is
    not known is ignored, because a newer version of the server may have stored it.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)


class StoredJson(Generic[T]):
    """Type of a row's JSON column that holds a `T`: the driver's objects and arrays, which nobody looks into.

    Never instantiated. `JsonCodec[T].decode` gives the `T`, so a row that is fetched for other columns costs nothing.
    """


class JsonCodec(Generic[T]):
    """The stored form of one frozen type: a `StoredObject`, or a tuple of them."""

    def __init__(self, of: type[T]) -> None:
        self._of = of

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self._of)

    @overload
    def encode(self, value: T) -> StoredJson[T]: ...
    @overload
    def encode(self, value: T | None) -> StoredJson[T] | None: ...
    def encode(self, value: T | None) -> StoredJson[T] | None:
        """Stored form of a value, equal to what the driver gives for it; None, which is stored as null, for None."""
        if value is None:
            return None
        stored = self._adapter.dump_python(value, by_alias=True)
        return cast("StoredJson[T]", list(stored) if isinstance(stored, tuple) else stored)

    @overload
    def decode(self, stored: StoredJson[T]) -> T: ...
    @overload
    def decode(self, stored: StoredJson[T] | None) -> T | None: ...
    def decode(self, stored: StoredJson[T] | None) -> T | None:
        """Value that was stored; None for a column that is null. Raises ValidationError for what was never stored."""
        return None if stored is None else self._adapter.validate_python(stored)

    def decode_text(self, text: str) -> T:
        """Value of a column that was selected as text, by which equal values of many rows are decoded once."""
        return self._adapter.validate_json(text)
