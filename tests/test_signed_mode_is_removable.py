"""The signed mode can be taken out: two folders, its routes and commands, and the lines that register it.

To take it out, delete PARTS and the lines of REGISTRATIONS, and drop its tables in a migration. The channel's `signs`
is None then; mypy names the two functions that it hands on: `sign` to the records, and `check` to their audit.
"""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "ledgerkit"
PARTS = (
    "commands/signed_mode.py",
    "core/einvoice/signed_mode/",
    "providers/es/verifactu/signed_mode/",
    "routers/einvoice_signed_mode.py",
)
MODULES = tuple(f"ledgerkit.{part.removesuffix('.py').removesuffix('/').replace('/', '.')}." for part in PARTS)
REGISTRATIONS = {
    "commands/verifactu.py": 2,
    "core/operation/installation/scheduled_jobs.py": 2,
    "providers/es/verifactu/channel.py": 2,
    "runtime.py": 4,
}
"""Modules that register it, each with its number of lines that do; beside them one rung in pyproject.toml."""


def test_only_its_registration_imports_the_signed_mode():
    lines = {}
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        numbers = set() if name.startswith(PARTS) else registering_lines(ast.parse(path.read_text()))
        if numbers:
            lines[name] = len(numbers)

    assert lines == REGISTRATIONS


def registering_lines(tree: ast.Module) -> set[int]:
    """Lines that import a part of the signed mode, and those that use what was imported."""
    imports = {
        alias.asname or alias.name: alias
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.{alias.name}.".startswith(MODULES)
    }
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in imports]
    return {node.lineno for node in (*imports.values(), *uses)}
