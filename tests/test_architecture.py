"""House rules that neither ruff, mypy nor import-linter can check: docs/adr names these tests."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TypeGuard

import grimp
import pytest

from ledgerkit import routers
from ledgerkit.app import ROUTERS
from ledgerkit.core import WINGS_OF_DOMAINS
from ledgerkit.core.platform.request.operation import OPERATIONS, declared
from ledgerkit.core.sales.invoices.issuance import lifecycle
from ledgerkit.core.sales.invoices.issuance.order import take_next_number
from ledgerkit.mcp_server.tools import TOOLS
from ledgerkit.problems import Problem
from ledgerkit.routers.routing import GuardedRoute
from support import callgraph, sources
from support.untyped import ON_PURPOSE, untyped

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "ledgerkit"
CORE = SOURCES / "core"

_HOLDS_OPERATIONS = re.compile(r"^@operation\(", re.MULTILINE)
SERVICES = sorted(
    path
    for path in CORE.glob("*/**/*.py")
    if path.name == "operations.py" or _HOLDS_OPERATIONS.search(path.read_text())
)

STEPS = {
    "einvoice.inspection.records.needing_action": "the newest of them are named by the alerts",
    "platform.approvals.operations.reject_those_of": "open proposals go with the member who made them",
    "platform.approvals.operations.reject_those_with": "open proposals go with the key or application that made them",
    "platform.approvals.operations.finish": "for the worker",
    "platform.approvals.operations.purge": "for the worker at night",
    "messaging.operations.bots": "for the operator's command that examines the installation",
    "messaging.operations.of_person": "for the export of a person, which is no account's",
    "messaging.operations.is_linked": "for the command that talks in a terminal",
    "messaging.operations.opened_code": "looked up before it is known whose the code is; `use_code` uses it up",
    "platform.activity.operations.history": "what was done to a record, for those who may read the record",
    "platform.activity.operations.record": "a line of the log belongs to the operation that it tells of",
    "platform.activity.operations.record_all": "the same, for several",
    "platform.activity.operations.record_each": "the same, for several subjects",
    "platform.ai.model.operations.reads_images": "for the operator's command that tries the model",
    "platform.attachments.operations.adopt": "a document that names an uploaded file takes it, with the right to both",
    "purchases.expenses.operations.restore": "the way back of a deletion, with its right; undoing takes it",
    "purchases.supplier_invoices.payments.operations.take_back": "the same, of a payment",
    "purchases.supplier_invoices.queries.bears_withholding": "a check of undo before a way back, with its right",
    "purchases.supplier_invoices.queries.days_of": "the same",
    "sales.invoices.queries.name_client": "the same",
    "sales.clients.operations.restore": "the way back of a deletion, with its right",
    "sales.invoices.operations.take_back_change": "the same, of the change of a draft",
    "sales.invoices.payments.operations.take_back": "the same, of a payment",
    "tasks.operations.restore": "the same, of a deletion",
    "teams.invitations.operations.withdraw": "the same, of an invitation",
    "sales.clients.operations.of_tax_id": "an invoice finds its client on the way, under the right to draft",
    "sales.clients.operations.of_name": "the same",
    "sales.clients.operations.stored": "the same",
    "sales.clients.operations.bears_surcharge": "the same, for the surcharge of its lines",
    "sales.clients.operations.company_of": "the same, for the doubts about its taxes",
    "einvoice.inspection.records.count_to_mend": "the overview of the day counts records, under the right to read them",
    "sales.invoices.payments.operations.convert_again": "a changed invoice converts its payments",
    "sales.invoices.payments.operations.receive": "the same, of an invoice there is already",
    "sales.invoices.payments.operations.insert": "a sale at a till pays its invoice, under the right to use the till",
    "sales.invoices.payments.operations.record_payment": "a payment, by the operation that issues drafts too",
    "einvoice.issuance.operations.mail_put_off": "for the worker",
    "declarations.proposals.operations.proposed": "a declaration is read with its proposals",
    "declarations.proposals.operations.shown": "a changed draft is answered as it is read",
    "einvoice.issuance.credit_note.issue": "a refund at a till makes its credit note, under the right to use the till",
    "platform.identity.operations.register_idempotently": "the same request again logs in, invited or not",
    "platform.identity.logins.sessions.forget": "for the worker at night",
    "platform.credentials.operations.greet": "who registers is asked to confirm the address, under that right",
    "operation.personal_data.export.operations.drop": "an export goes with its person",
    "operation.personal_data.export.operations.make_part": "for the worker",
    "operation.personal_data.export.operations.forget": "for the worker every hour",
    "operation.personal_data.erasure.operations.erase": "for the worker",
    "operation.personal_data.erasure.operations.erase_again": "for the worker at night",
    "operation.personal_data.erasure.operations.say_farewell": "for the worker",
    "sales.invoices.public_links.operations.revoke_all": "public links go with their account",
    "platform.identity.operations.create_user": "an invited person registers by the right of the invitation",
    "platform.identity.operations.current_user": "a part of the operations that tell who asks",
    "platform.oauth.grants.operations.forget": "for the worker at night",
    "platform.oauth.grants.operations.of_person": "a part of the export of a person's data",
    "platform.mail.operations.send": "a mail belongs to the operation that sends it",
    "tasks.operations.forget_invoices": "the invoices of a trial are set aside when the account goes live",
    "tasks.operations.move_client": "two clients are merged, under the right to delete them",
    "teams.invitations.operations.forget": "for the worker at night",
    "sales.invoices.pdf.printed_invoice.printed_document": "the PDF's content, for readers of the invoice",
    "platform.jobs.operations.drop": "what a job was for is set aside by the operation that goes live",
    "platform.jobs.operations.enqueue": "a job belongs to the operation that wants it done",
    "platform.jobs.operations.failed": "for the operator at the machine",
    "purchases.supplier_invoices.operations.move_deduction": "a proposal moves it; it asks itself for the right",
    "purchases.supplier_invoices.queries.fetch": "a credit note names its invoice, under the right to write it",
    "purchases.supplier_invoices.queries.recorded": "an analysis finds its invoice, under the right to write it",
    "purchases.vendors.operations.find_match": "an expense finds its vendor on the way",
    "purchases.vendors.operations.require_clear": "the same",
    "purchases.vendors.operations.lock_pair": "two vendors are merged, under the right to delete them",
    "purchases.vendors.operations.match_or_create": "the same; it asks itself for the right to keep vendors",
    "purchases.vendors.operations.locked": "the same",
}
"""Public coroutines that are no operations: steps of one, called within core only, each with its reason."""

READERS_OF_MODELS = {
    "ledgerkit.core.reports": "the one place that joins tables of several domains",
    "ledgerkit.core.searching": "one statement searches the tables of all domains",
    "ledgerkit.core.operation.installation.database.all_tables": "all tables together, for migrations",
}
FURTHER_READERS = {
    ("ledgerkit.core.teams", "ledgerkit.core.platform.identity.table"): "a team is an account with members"
}

ABOUT_NOBODY = {
    "ledgerkit.routers.credentials.show_forgotten",
    "ledgerkit.routers.health.health",
    "ledgerkit.routers.health.ready",
    "ledgerkit.routers.oauth.authorization_server",
    "ledgerkit.routers.oauth.preflight",
    "ledgerkit.routers.oauth.protected_resource",
}
"""Routes without an operation, about the process and the server, and an empty form: nobody's records."""


@cache
def ours() -> list[tuple[Path, Path]]:
    """Every module of ours: its path in the package, and its file."""
    return [(path.relative_to(SOURCES), path) for path in sources.files(SOURCES)]


def says(file: Path, words: str) -> bool:
    """True where the code says so, and not only a comment."""
    return words in file.read_text() and words in ast.unparse(sources.tree(file))


def module_of(path: Path) -> ModuleType:
    return import_module(".".join(["ledgerkit", *path.relative_to(SOURCES).with_suffix("").parts]))


def public_coroutines() -> Iterator[tuple[str, object]]:
    for path in SERVICES:
        module = module_of(path)
        for node in sources.tree(path).body:
            if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_"):
                name = f"{module.__name__.removeprefix('ledgerkit.core.')}.{node.name}"
                yield name, getattr(module, node.name)


def is_operation(found: object) -> bool:
    return any(one.function is inspect.unwrap(found) for one in OPERATIONS.values())


# ---------------------------------------------------------------- who knows whom


def domain_of(module: str) -> str:
    """`ledgerkit.core.einvoice` for any module in it: a domain with folders has tables in several of them."""
    wing = module.split(".")[2]
    return ".".join(module.split(".")[: 4 if wing in WINGS_OF_DOMAINS else 3])


def reads_row_types_only(importer: str, models: str) -> bool:
    """True when a module imports the types of rows and no table."""
    imported = [
        name.name
        for node in sources.nodes(Path(import_module(importer).__file__), ast.ImportFrom)
        if node.module == models
        for name in node.names
    ]
    return bool(imported) and all(name.endswith("Row") for name in imported)


def test_a_domains_tables_are_read_by_that_domain_only():
    graph = grimp.build_graph("ledgerkit")
    foreign = {
        (importer, models)
        for models in sorted(graph.modules)
        if models.endswith(".table")
        for importer in graph.find_modules_that_directly_import(models)
        if not importer.startswith(f"{domain_of(models)}.") and not reads_row_types_only(importer, models)
    }
    allowed = {
        (importer, models)
        for importer, models in foreign
        if any(importer == one or importer.startswith(f"{one}.") for one in READERS_OF_MODELS)
        or any(importer.startswith(f"{one}.") and models == of for one, of in FURTHER_READERS)
    }

    assert allowed, "the search has lost its way"
    assert foreign == allowed


def test_no_import_is_for_the_type_checker_only():
    """Modules import whatever they name, so that mypy and import-linter see the arrows that a run follows."""
    assert [str(path) for path, file in ours() if says(file, "TYPE_CHECKING")] == []


def test_only_the_database_modules_end_a_transaction():
    words = {"begin", "commit", "rollback", "savepoint"}
    guilty = {
        str(path)
        for path, file in ours()
        for node in sources.nodes(file, ast.Attribute, ast.Call)
        if (isinstance(node, ast.Attribute) and node.attr in words)
        or (isinstance(node, ast.Call) and any(_first_word(one) in words for one in node.args))
    }

    assert guilty == {
        "core/platform/database/connections.py",
        "core/platform/database/transactions.py",
        "core/platform/database/migrations.py",
    }


def _first_word(node: ast.expr) -> str:
    """First word of a text or of the beginning of a formatted one, as SQL would be."""
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return re.split(r"[\s;]", text.lower(), maxsplit=1)[0]


def test_services_use_no_object_mapper():
    assert [str(path) for path, file in ours() if says(file, "sqlalchemy.orm")] == []


def test_only_money_makes_floats():
    guilty = {
        str(path)
        for path, file in ours()
        for node in sources.nodes(file, ast.Call)
        if isinstance(node.func, ast.Name) and node.func.id == "float"
    }

    assert guilty == {"money.py"}


def test_only_one_function_gives_numbers():
    """Whoever wants a number asks `einvoice.issuing.issue`, which seals the record with it (docs/adr/0017).

    So does `ways_out.renumber`, which gives an invoice another number where its own is taken (docs/adr/0033).
    Going live gives none: it sets the counters of a trial aside. An import gives none: it lets the counter go past the
    numbers that other software gave. Nor does another issue date of the last document, which the counter remembers.
    """
    counters = {str(path) for path, file in ours() if "invoice_counter" in file.read_text()}

    renumbering = "ledgerkit.core.sales.invoices.issuance.order.take_next_number"
    assert callgraph.naming(lifecycle.take_number) == {
        "ledgerkit.core.sales.invoices.issuance.lifecycle.issue",
        renumbering,
    }
    assert callgraph.naming(lifecycle.issue) == {"ledgerkit.core.einvoice.issuance.numbers.issue"}
    assert callgraph.naming(take_next_number) == {"ledgerkit.core.einvoice.issuance.ways_out.renumber"}
    others = {"imports/numbers.py", "issuance/order.py", "issuance/lifecycle.py", "table.py"}
    assert counters == {
        "core/operation/going_live/trial/archive.py",
        *(f"core/sales/invoices/{name}" for name in others),
    }


def test_migrations_import_no_live_code():
    """A migration goes on doing what it did when it was written (docs/adr/0044)."""
    imported = {
        (path.name, module.partition(".")[0])
        for path in sources.files(ROOT / "migrations" / "versions")
        for node in sources.nodes(path, ast.Import, ast.ImportFrom)
        for module in _imported(node)
    }

    assert imported, "the search has lost its way"
    assert {one for one in imported if one[1] not in {"alembic", "sqlalchemy"}} == set()


def _imported(node: ast.AST) -> list[str]:
    """Return the names of the modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [name.name for name in node.names]
    return [node.module or "."] if isinstance(node, ast.ImportFrom) else []


# ---------------------------------------------------------------- the gate


def test_every_public_coroutine_of_a_service_is_an_operation_with_a_permission():
    ungated = {name for name, found in public_coroutines() if not is_operation(found)}

    assert ungated == set(STEPS)


def test_every_operation_stands_where_operations_are_looked_for():
    found = {inspect.unwrap(one) for _, one in public_coroutines()}

    assert [name for name, one in OPERATIONS.items() if one.function not in found] == []


def test_decisions_ask_the_actors_permissions_and_never_its_role():
    """The role is for display, and for the text of a refusal: credentials may cover less than it grants."""
    reading = {
        f"{path}:{function.name}"
        for path, file in ours()
        if ".role" in file.read_text()
        for function in sources.nodes(file, ast.FunctionDef, ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and re.search(r"(^|\.)(actor|who)\.role$", ast.unparse(node))
    }

    assert reading == {
        "core/platform/request/context.py:require",
        "core/teams/operations.py:_as_team",
        "core/teams/operations.py:my_role",
        "core/teams/operations.py:whoami",
        "core/teams/web_sessions/operations.py:_team",
    }


def gated_calls(function: ast.AST, module: ModuleType) -> tuple[list[str], list[str]]:
    """The operations that a function calls, and all other coroutines of core."""
    operations, others = [], []
    for call in ast.walk(function):
        if not isinstance(call, ast.Call):
            continue
        found = _resolved(call.func, module)
        if not inspect.iscoroutinefunction(found) or not found.__module__.startswith("ledgerkit.core."):
            continue
        (operations if is_operation(found) else others).append(f"{found.__module__}.{found.__name__}")
    return operations, others


def _resolved(node: ast.expr, module: ModuleType) -> object:
    if isinstance(node, ast.Name):
        return getattr(module, node.id, None)
    if isinstance(node, ast.Attribute):
        return getattr(_resolved(node.value, module), node.attr, None)
    return None


Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def routes() -> Iterator[tuple[GuardedRoute, Definition, ModuleType]]:
    """Every route with its function in the source."""
    for module in ROUTERS:
        functions = {node.name: node for node in definitions(module)}
        for route in module.router.routes:
            yield route, functions[route.endpoint.__name__], module


def definitions(module: ModuleType) -> list[Definition]:
    return [node for node in sources.tree(Path(module.__file__)).body if isinstance(node, Definition)]


def operations_named(definition: Definition, module: ModuleType) -> set[str]:
    """Names of the operations that a body calls or gives away, in nested functions too."""
    nodes = (node for statement in definition.body for node in ast.walk(statement))
    found = (_resolved(node, module) for node in nodes if isinstance(node, ast.Name | ast.Attribute))
    return {declared(one).name for one in found if is_operation(one)}


def test_every_route_says_which_operation_it_calls():
    """The named operation decides on credentials, permission, OpenAPI and the dry run, before any code of the route."""
    differing = {
        f"{module.__name__}.{node.name} of {route.path}": named
        for route, node, module in routes()
        if (named := operations_named(node, module)) != ({route.operation.name} if route.operation else set())
    }

    assert differing == {}


def test_every_route_with_an_operation_calls_it_once_and_nothing_else_of_core():
    without = {f"{module.__name__}.{node.name}" for route, node, module in routes() if route.operation is None}
    asked = [(node, module) for route, node, module in routes() if route.operation is not None]
    calls = {f"{module.__name__}.{node.name}": gated_calls(node, module) for node, module in asked}

    assert len(calls) > 150
    assert without == ABOUT_NOBODY
    assert {name: called for name, called in calls.items() if len(called[0]) != 1 or called[1]} == {}


def test_nothing_else_in_the_routers_names_an_operation():
    """An operation that a helper calls would escape the test above."""
    modules = [import_module(f"{routers.__name__}.{one.name}") for one in iter_modules(routers.__path__)]
    endpoints = {(module, node.name) for _, node, module in routes()}
    guilty = {
        f"{module.__name__}.{node.name}"
        for module in modules
        for node in definitions(module)
        if (module, node.name) not in endpoints and operations_named(node, module)
    }

    assert len(modules) > len(ROUTERS)
    assert guilty == set()


def test_what_code_calls_is_not_read_from_its_bytecode():
    guilty = {
        str(path)
        for path, file in ours()
        for node in sources.nodes(file, ast.Import, ast.ImportFrom, ast.Attribute)
        if "dis" in _imported(node) or (isinstance(node, ast.Attribute) and node.attr == "__code__")
    }

    assert guilty == set()


def tool_functions() -> Iterator[tuple[str, ast.AST, ModuleType]]:
    """Lambdas of the catalogue's table, and the functions beside it that call core."""
    for module in {inspect.getmodule(tool.run) for tool in TOOLS.values()} - {None}:
        if module.__name__.startswith("ledgerkit.mcp_server"):
            for node in sources.nodes(Path(module.__file__), ast.Lambda, ast.AsyncFunctionDef):
                yield f"{module.__name__}:{node.lineno}", node, module


def test_tools_call_operations_and_nothing_else_of_core():
    calls = {name: gated_calls(node, module)[1] for name, node, module in tool_functions()}

    assert len(calls) > 40
    assert {name: others for name, others in calls.items() if others} == {}


# ---------------------------------------------------------------- size and manners


def test_every_module_says_in_one_line_what_it_is_for():
    silent = {
        str(path)
        for path, file in ours()
        if (module := sources.tree(file)).body
        and not re.match(r"[^\n]{8,}[.:;?!]($|\n\n)", ast.get_docstring(module) or "")
    }

    assert silent == set()


EXCEPTION = re.compile(r"#\s*(?:noqa|ruff: noqa|type: ignore)(?P<rest>.*)")
REASONED = re.compile(r"(?::\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*|\[[a-z, -]+\])\s*(?:--|-|#)\s*\w+")


@pytest.mark.parametrize("top", ["src", "tests", "bench", "scripts", "migrations"])
def test_every_exception_to_a_check_names_the_rule_and_a_reason(top):
    unreasoned = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sources.files(ROOT / top)
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if path != Path(__file__) and (found := EXCEPTION.search(line)) and not REASONED.match(found["rest"])
    ]

    assert unreasoned == []


PROBLEMS = {kind.__name__ for kind in Problem.__subclasses__()} | {"FieldError"}


def english_only() -> Iterator[str]:
    """Places where a problem, or an error of one of its fields, is worded in the code and not in the catalogues."""
    for path, file in ours():
        for call in sources.nodes(file, ast.Call):
            made = call.func.value if _is_field(call.func) else call.func
            if isinstance(made, ast.Name) and made.id in PROBLEMS and path.parts[0] != "problems.py":
                words = call.args[made is not call.func :][:1]
                translated = "translations" in {keyword.arg for keyword in call.keywords}
                if any(isinstance(one, ast.Constant | ast.JoinedStr) for one in words) and not translated:
                    yield f"{path}:{call.lineno} {made.id}"


def _is_field(called: ast.expr) -> TypeGuard[ast.Attribute]:
    return isinstance(called, ast.Attribute) and called.attr == "field"


def test_every_problem_is_said_in_english_and_spanish():
    assert list(english_only()) == []


def test_rows_records_and_stored_values_have_types():
    assert set(untyped(CORE)) == set(ON_PURPOSE)


# ---------------------------------------------------------------- file names

FILES_OF_A_DOMAIN = {"__init__", "acts", "api", "input", "operations", "output", "queries", "table", "texts"}

LIBRARIES = {
    *("api_types", "confined", "database", "documents", "event_loop", "imports", "pages", "records", "request"),
}
"""Folders of platform that are no domains: parts that domains are made of."""

OTHER_NAMES = {
    *("columns", "drafting", "lookup", "messages", "models", "overviews", "representation", "results", "schemas"),
    *("service", "shapes", "staging", "stored", "storing"),
}
"""Names of files that meant one of the seven, or two things."""

TABLES_OF_THE_REQUEST = {"platform/request/idempotency.py"}
TABLES_OF_ALL_RECORDS = {f"platform/{name}.py" for name in ("records/counters", "records/search")}


def folders(path: Path) -> list[Path]:
    return sorted(one for one in path.iterdir() if one.is_dir() and one.name != "__pycache__")


def domains() -> list[Path]:
    """Folders of core that are no wings, and those of the wings; without the libraries of platform."""
    found = [
        one for folder in folders(CORE) for one in (folders(folder) if folder.name in WINGS_OF_DOMAINS else [folder])
    ]
    return [domain for domain in found if domain.name not in LIBRARIES or domain.parent.name != "platform"]


def test_a_domain_has_eight_files_and_folders():
    modules = [path for domain in domains() for path in domain.glob("*.py")]

    assert len(modules) > 100, "the search has lost its way"
    assert [str(path.relative_to(CORE)) for path in modules if path.stem not in FILES_OF_A_DOMAIN] == []


def test_a_file_name_means_one_thing():
    modules = {path.relative_to(CORE) for path in CORE.rglob("*.py")}
    imported = {Path("purchases/supplier_invoices/imports/columns.py"), Path("sales/invoices/imports/columns.py")}
    computed = {Path("declarations/computation/columns.py")}

    assert {str(path) for path in modules - imported - computed if path.stem in OTHER_NAMES} == set()


def test_tables_and_ids_of_texts_stand_in_their_files():
    kinds = {"account_table": "table.py", "reference_table": "table.py", "MessageId": "texts.py"}
    elsewhere = {
        str(path.relative_to("core"))
        for path, file in ours()
        if path.parts[0] == "core"
        for node in sources.nodes(file, ast.Call, ast.ClassDef)
        for made in ([node.func] if isinstance(node, ast.Call) else node.bases)
        if isinstance(made, ast.Name) and path.name != kinds.get(made.id, path.name)
    }

    assert elsewhere == TABLES_OF_THE_REQUEST | TABLES_OF_ALL_RECORDS
