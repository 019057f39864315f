"""Values in JSON columns: their stored form, and the one place where each kind is encoded and decoded."""

from collections.abc import Mapping
from dataclasses import Field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, cast, overload

from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, SchemaValidator, core_schema


class _Dataclass(Protocol):
    """Any dataclass, by what makes one (PEP 557)."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


T = TypeVar("T")
DataT = TypeVar("DataT", bound=_Dataclass)
_NO_NAMES: Mapping[str, str] = MappingProxyType({})


class StoredObject(BaseModel):
    """Base of the types of stored JSON objects: camelCase keys, in the order of the fields.

    That form is stored for years, and digests are made of it, so a new field comes last and has a default. A key that
    is not known is ignored, because a newer version of the server may have stored it.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)


class StoredJson(Generic[T]):
    """Type of a row's JSON column that holds a `T`: the driver's objects and arrays, which nobody looks into.

    Never instantiated. `JsonCodec[T].decode` gives the `T`, so a row that is fetched for other columns costs nothing.
    """


class JsonCodec(Generic[T]):
    """The stored form of one frozen type: a `StoredObject`, or a tuple of them.

    `mode` is pydantic's: `json` for types with dates and moments, whose amounts are stored as texts then.
    """

    def __init__(self, of: type[T], *, mode: Literal["python", "json"] = "python") -> None:
        self._of = of
        self._mode = mode

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
        stored = self._adapter.dump_python(value, mode=self._mode, by_alias=True)
        return cast("StoredJson[T]", list(stored) if isinstance(stored, tuple) else stored)

    @overload
    def decode(self, stored: StoredJson[T]) -> T: ...
    @overload
    def decode(self, stored: StoredJson[T] | None) -> T | None: ...
    def decode(self, stored: StoredJson[T] | None) -> T | None:
        """Value that was stored; None for a column that is null. Raises ValidationError for what was never stored."""
        return None if stored is None else self._adapter.validate_python(stored)

    def encode_text(self, value: T) -> str:
        """Return the stored form of a large value as a JSON text, without building its objects and arrays before.

        It is that of `dumps_exact` for a type whose amounts have a serializer to numbers.
        """
        return self._adapter.dump_json(value, by_alias=True).decode()

    def decode_text(self, text: str) -> T:
        """Value of a column that was selected as text, by which equal values of many rows are decoded once."""
        return self._adapter.validate_json(text)


class DirectDecoder(Generic[DataT]):
    """Decoder of large numbers of stored JSON texts to the frozen dataclass `DataT` that others know a stored type by.

    It takes half the time of decoding the stored type and building a `DataT` of it. Each field of `DataT` has the value
    of the stored field of its name, or of that which `names` gives for it.
    """

    def __init__(self, of: type[DataT], stored: type[StoredObject], names: Mapping[str, str] = _NO_NAMES) -> None:
        self._of, self._stored, self._names = of, stored, names

    def one(self, text: str) -> DataT:
        """Return the value of a stored object. Raises ValidationError for what was never stored."""
        return cast("DataT", self._one.validate_json(text))

    def several(self, text: str) -> tuple[DataT, ...]:
        """Return the values of a stored list. Raises ValidationError for what was never stored."""
        return cast("tuple[DataT, ...]", self._several.validate_json(text))

    @cached_property
    def _one(self) -> SchemaValidator:
        return SchemaValidator(self._schema())

    @cached_property
    def _several(self) -> SchemaValidator:
        return SchemaValidator(core_schema.tuple_variable_schema(self._schema()))

    def _schema(self) -> CoreSchema:
        names = [field.name for field in fields(self._of)]
        arguments = core_schema.dataclass_args_schema(self._of.__name__, [self._field(name) for name in names])
        return core_schema.dataclass_schema(self._of, arguments, names)

    def _field(self, name: str) -> core_schema.DataclassField:
        stored_name = self._names.get(name, name)
        adapter = TypeAdapter(cast("type[Any]", self._stored.model_fields[stored_name].annotation))
        return core_schema.dataclass_field(name, adapter.core_schema, validation_alias=to_camel(stored_name))
