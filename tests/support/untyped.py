"""Annotations in core that say Any where a row, a record or a stored value has a type."""

import ast
from collections.abc import Iterator
from pathlib import Path

from support import sources

HOLDERS = {"list", "tuple", "Sequence", "Collection", "Iterable", "Iterator", "AsyncIterator", "Prepared", "Row"}
"""Types of which many are values: `Sequence[Any]` says as little as `Any`."""

ON_PURPOSE = {
    "platform/api_types/json_answers.py:_dumped": "any JSON",
    "platform/api_types/json_answers.py:_without_secrets": "the same",
    "platform/approvals/agreements/desk.py:Approvals.agree": "the result of any operation",
    "platform/approvals/agreements/desk.py:Approvals._agree_in_app": "the same",
    "platform/approvals/agreements/desk.py:_confirm": "the same",
    "platform/approvals/decisions/execution.py:Execution.__init__.self.result": "the same",
    "platform/request/acts.py:Rehearsed.data": "the body of any operation",
    "platform/request/arguments.py:Arguments._read": "the arguments of any operation",
    "platform/request/arguments.py:Arguments.bound": "the same",
    "platform/request/arguments.py:Arguments.of_call": "the same",
    "platform/request/arguments.py:Arguments.of_call.args": "the same",
    "platform/request/arguments.py:_is_body": "the annotation of any argument",
    "platform/request/operation.py:_agreed": "the result of any operation",
    "platform/request/operation.py:_agreed.run": "the same",
    "platform/request/proposals.py:ApprovalDesk.agree": "the same",
    "platform/imports/rows.py:shared": "the value of any field, by its name",
    "platform/records/rows.py:_insert": "a cached function forgets the row type of its table; the callers say it",
    "platform/records/rows.py:_insert_unless_there": "the same",
    "platform/records/rows.py:_insert_several": "the same",
    "platform/records/rows.py:_insert_many": "the same",
    "platform/records/rows.py:_update_many": "the same",
    "platform/records/rows.py:_select": "the same",
    "platform/records/rows.py:_update": "the same",
    "platform/request/idempotency.py:IdempotentCall.run": "the result of any operation",
    "platform/request/idempotency.py:IdempotentCall._within": "the same",
    "platform/request/idempotency.py:IdempotentCall._around": "the same",
    "platform/request/idempotency.py:IdempotentCall._replay": "the same",
    "platform/request/operation.py:Operation.run": "the result of any operation",
    "platform/request/operation.py:Operation.run.attempt": "the same",
    "platform/request/operation.py:Operation.perform": "the same",
    "platform/request/operation.py:Operation._work": "the same",
    "platform/request/operation.py:Operation.result_type": "the type that any operation returns",
}
"""Functions whose values are of any type, each with its reason."""


def untyped(core: Path) -> Iterator[str]:
    """Functions, and variables of modules and classes, outside `database` with such an annotation: `module:name`."""
    for path in sources.files(core):
        module = path.relative_to(core)
        if "database" not in module.parts:
            yield from (f"{module}:{name}" for name in _untyped_in(sources.tree(path), ""))


def _untyped_in(parent: ast.AST, scope: str) -> Iterator[str]:
    for node in ast.iter_child_nodes(parent):
        inner = scope
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            inner = f"{scope}.{node.name}".lstrip(".")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            if any(map(_says_any, [node.returns, *(one.annotation for one in parameters)])):
                yield inner
        if isinstance(node, ast.AnnAssign) and _says_any(node.annotation):
            yield f"{scope}.{ast.unparse(node.target)}".lstrip(".")
        yield from _untyped_in(node, inner)


def _says_any(annotation: ast.expr | None) -> bool:
    match annotation:
        case ast.Constant(value=str(quoted)):
            return _says_any(ast.parse(quoted, mode="eval").body)
        case ast.Name(id=name):
            return name == "Any"
        case ast.BinOp(left=left, right=right):
            return _says_any(left) or _says_any(right)
        case ast.Subscript(value=ast.Name(id=holder), slice=held) if holder in HOLDERS:
            return any(map(_says_any, held.elts if isinstance(held, ast.Tuple) else [held]))
        case _:
            return False
