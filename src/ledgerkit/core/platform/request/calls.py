"""The operation that a route or a tool calls, read from its code: no table has to name it again."""

import dis
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from ledgerkit.core.platform.request.operation import Operation, declared


def operation_called_by(function: Callable[..., Any]) -> Operation | None:
    """Return the only operation that the code of `function` names as `module.operation`; None when it names none."""
    assert isinstance(function, FunctionType)  # noqa: S101 - routes and tools are written as functions
    named = {operation.name: operation for value in _named_values(function) if (operation := declared(value))}
    assert len(named) <= 1, f"{function.__name__} calls {', '.join(named)}"  # noqa: S101 - ours: a face does one thing
    return next(iter(named.values()), None)


def _named_values(function: FunctionType) -> Iterator[object]:
    """The values that the code of `function` names, as `name` or as `module.name`."""
    value: object = None
    for instruction in dis.get_instructions(function):
        match instruction.opname:
            case "LOAD_GLOBAL":
                value = function.__globals__.get(instruction.argval)
            case "LOAD_ATTR" | "LOAD_METHOD" if isinstance(value, ModuleType):
                value = getattr(value, instruction.argval, None)
            case _:
                value = None
        yield value
