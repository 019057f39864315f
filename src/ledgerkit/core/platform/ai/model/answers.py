"""Answers of a model, read into a schema. They may quote strangers, so nothing in them is acted upon."""

import json
import re
from collections.abc import Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from ledgerkit.money import loads_exact

SchemaT = TypeVar("SchemaT", bound=BaseModel)

_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)
_FAULTS_TOLD = 10


class CalledFunction(BaseModel):
    """Tool that a model wants to use, with its arguments as JSON text."""

    name: str
    arguments: str = "{}"


class ToolCall(BaseModel):
    """Wish of a model to use a tool, by the id that its result refers to."""

    id: str
    function: CalledFunction


class ModelMessage(BaseModel):
    content: str | None = None
    tool_calls: list[ToolCall] | None = None


class ModelChoice(BaseModel):
    """One choice of a completion; calls of tools are read where tools were offered."""

    message: ModelMessage
    finish_reason: str | None = None


class Completion(BaseModel):
    choices: list[ModelChoice]


class Reading(NamedTuple, Generic[SchemaT]):
    """Result of reading an answer: the value, or else the faults in words; `fields` is the JSON object, if any."""

    value: SchemaT | None
    faults: str
    fields: dict[str, Any] | None


def read(schema: type[SchemaT], content: str) -> Reading[SchemaT]:
    """Read the JSON of an answer: bare, in fences, or after a model's thoughts."""
    faults = "it holds no JSON object"
    for candidate in _candidates(content):
        try:
            fields = loads_exact(candidate)
        except (ValueError, RecursionError):
            continue
        if not isinstance(fields, dict):
            continue
        try:
            return Reading(schema.model_validate(fields), "", fields)
        except ValidationError as error:
            return Reading(None, _told(error), fields)
    return Reading(None, faults, None)


def read_leniently(schema: type[SchemaT], fields: dict[str, Any]) -> tuple[SchemaT, frozenset[str]] | None:
    """Read the valid fields, give the others their defaults, and return the value and the names of the invalid fields.

    None if an invalid field has no default.
    """
    try:
        schema.model_validate(fields)
    except ValidationError as error:
        invalid = frozenset(str(fault["loc"][0]) for fault in error.errors() if fault["loc"])
    else:
        invalid = frozenset()
    try:
        value = schema.model_validate({name: member for name, member in fields.items() if name not in invalid})
    except ValidationError:
        return None
    return value, invalid


def _candidates(content: str) -> Iterator[str]:
    text = _THOUGHT.sub("", content).strip()
    yield text
    yield from (fenced.strip() for fenced in _FENCED.findall(text))
    begin, end = text.find("{"), text.rfind("}")
    if 0 <= begin < end:
        yield text[begin : end + 1]


def _told(error: ValidationError) -> str:
    faults = error.errors(include_input=False, include_url=False, include_context=False)[:_FAULTS_TOLD]
    return json.dumps([{"field": list(fault["loc"]), "problem": fault["msg"]} for fault in faults])
