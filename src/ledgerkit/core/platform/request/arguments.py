"""Arguments of an operation as one flat JSON object: the id of the record, and the fields of the body beside it."""

from collections.abc import Callable, Mapping
from functools import cached_property
from inspect import Parameter, signature
from itertools import islice
from typing import Any, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from ledgerkit.core.platform.api_types.unknown_fields import MOST_NAMED, alternatives, unknown_fields
from ledgerkit.core.platform.api_types.validation import field_errors, not_valid
from ledgerkit.core.platform.api_types.wire import Wire


class Arguments:
    """The arguments of one operation.

    The only argument that is called `*_id` is `id`, as in the paths of REST and in the tools; others have their names
    in camelCase. The fields of the body (a shape, or a mapping) stand beside them.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        hints = get_type_hints(function, include_extras=True)
        _ctx, *parameters = signature(function).parameters.values()
        self._names = [parameter.name for parameter in parameters]
        self._places = [parameter.name for parameter in parameters if parameter.kind is not Parameter.KEYWORD_ONLY]
        self._required = {parameter.name for parameter in parameters if parameter.default is Parameter.empty}
        self._hints = {name: hints[name] for name in self._names}
        self.body = next((name for name, hint in self._hints.items() if _is_body(hint)), None)
        """Name of the argument with the body; None without one."""
        ids = [name for name in self._names if name.endswith("_id")]
        self.labels = {name: "id" if ids == [name] else to_camel(name) for name in self._names if name != self.body}
        """Names of the other arguments in the JSON object."""
        self._adapters: dict[str, TypeAdapter[Any]] = {}

    def bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by name."""
        return {**dict(zip(self._names, args, strict=False)), **kwargs}

    def of_call(self, arguments: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return arguments by name as a call gives them: by place as far as possible, the others by name."""
        args: list[Any] = []
        named = dict(arguments)
        for name in self._places:
            if name not in named:
                break
            args.append(named.pop(name))
        return tuple(args), named

    def stored(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments by name as the JSON object; fields of the body that were not sent are left out."""
        stored = {
            label: self._adapter(name).dump_python(arguments[name], mode="json")
            for name, label in self.labels.items()
            if arguments.get(name) is not None
        }
        body = arguments.get(self.body) if self.body else None
        if isinstance(body, Wire):
            declared = self._adapter(self.body or "")  # a tool may give a shape with more fields
            return {**declared.dump_python(body, mode="json", by_alias=True, exclude_unset=True), **stored}
        return {**(body or {}), **stored}

    def check_known(self, sent: Mapping[str, Any]) -> None:
        """Check that the operation has all fields, at any depth. Raises Invalid that names the others."""
        unknown = islice(unknown_fields(self._schema, sent), MOST_NAMED)
        if errors := [field.error for field in unknown]:
            raise not_valid(errors)

    @cached_property
    def _schema(self) -> Mapping[str, Any]:
        """JSON schema of the JSON object."""
        schemas, shared = TypeAdapter.json_schemas([(name, "validation", self._adapter(name)) for name in self._names])
        definitions = shared.get("$defs", {})
        fields = {label: schemas[name, "validation"] for name, label in self.labels.items()}
        closed = {"type": "object", "properties": fields, "additionalProperties": False, "$defs": definitions}
        if self.body is None:
            return closed
        (body,) = alternatives(schemas[self.body, "validation"], definitions)
        if "properties" not in body:
            return {"type": "object"}
        return {**closed, "properties": {**fields, **body["properties"]}}

    def read(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments by name. Raises Invalid that names each wrong field, as the operation's request does."""
        fields = dict(sent)
        values: dict[str, Any] = {}
        errors: list[ErrorDetails] = []
        for name, label in self.labels.items():
            if label in fields:
                values |= self._read(name, fields.pop(label), errors, label)
            elif name in self._required:
                errors.append({"type": "missing", "msg": "", "input": None, "loc": (label,)})
        if self.body is not None:
            values |= self._read(self.body, fields, errors)
        if errors:
            raise not_valid(field_errors(errors))
        return values

    def _read(self, name: str, value: Any, errors: list[ErrorDetails], *place: str) -> dict[str, Any]:
        try:
            return {name: self._adapter(name).validate_python(value)}
        except ValidationError as error:
            errors += [{**detail, "loc": (*place, *detail["loc"])} for detail in error.errors()]
            return {}

    def _adapter(self, name: str) -> TypeAdapter[Any]:
        if name not in self._adapters:
            self._adapters[name] = TypeAdapter(self._hints[name])
        return self._adapters[name]


def _is_body(hint: Any) -> bool:
    return get_origin(hint) is Mapping or (isinstance(hint, type) and issubclass(hint, Wire))
