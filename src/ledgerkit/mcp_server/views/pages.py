"""Pages that a host of MCP Apps shows beside the answers of tools (`io.modelcontextprotocol/ui`, 2026-01-26).

Each address has the same page, which chooses its card by the shape of the answer: a tool has one address, but answers
an invoice, a question about it, or a refusal. The page is closed: it loads nothing, calls no tool and confirms nothing.
"""

import base64
import hashlib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID, ResourceCsp
from mcp.types import Resource, TextResourceContents
from pydantic_core import to_json

from ledgerkit import __version__
from ledgerkit.mcp_server.views.messages import ViewMsg
from ledgerkit.texts import languages, text

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = ("host.js", "formats.js", "cards.js")

EXTENSIONS: Mapping[str, dict[str, Any]] = {EXTENSION_ID: {}}
"""Extensions that the server declares among its capabilities; this one has no settings of a server."""

_NOWHERE = ResourceCsp(connect_domains=[], resource_domains=[], frame_domains=[], base_uri_domains=[])
_META = {"ui": {"csp": _NOWHERE.model_dump(by_alias=True), "prefersBorder": True}}


class View(StrEnum):
    """Address of a view. A host fetches it once and shows it for each answer of its tools."""

    INVOICE = "ui://ledgerkit/invoice"
    APPROVAL = "ui://ledgerkit/approval"
    TAX_FORM = "ui://ledgerkit/tax-form"


_TITLES = {
    View.INVOICE: "Invoice (factura)",
    View.APPROVAL: "Question before an act (aprobación)",
    View.TAX_FORM: "Tax form (modelo)",
}

_OF_RECORDS = {
    "create_invoice": View.INVOICE,
    "duplicate_invoice": View.INVOICE,
    "get_invoice": View.INVOICE,
    "mark_invoice_paid": View.INVOICE,
    "update_invoice": View.INVOICE,
    "generate_tax_declaration": View.TAX_FORM,
    "get_tax_declaration": View.TAX_FORM,
    "update_tax_declaration": View.TAX_FORM,
}
"""Tools that answer an invoice or a tax form, each with its view."""

VIEWS = [
    Resource(uri=view, name=f"{view.name.lower()}_view", title=_TITLES[view], mime_type=APP_MIME_TYPE, meta=_META)
    for view in View
]


def view_of(tool: str, *, always_asks: bool) -> View | None:
    """Return the view of a tool's answers: that of its record, or that of questions for a tool that always asks."""
    return _OF_RECORDS.get(tool) or (View.APPROVAL if always_asks else None)


def published(view: View | None) -> dict[str, Any] | None:
    """Return the `_meta` of a tool that has this view."""
    return None if view is None else {"ui": {"resourceUri": view.value}}


def view_at(uri: str) -> View | None:
    """Return the view with this address; None for another address."""
    return next((view for view in View if view == uri), None)


def contents(view: View) -> TextResourceContents:
    """Return the page as the content of a resource."""
    return TextResourceContents(uri=view, mime_type=APP_MIME_TYPE, text=page(view), meta=_META)


@cache
def page(view: View) -> str:
    """Return the HTML of the page. Its policy admits its own style and script, and nothing else."""
    style, script = _style(), _script()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    frame = Template((ASSETS / "page.html").read_text(encoding="utf-8"))
    return frame.substitute(policy=policy, title=_TITLES[view], style=style, script=script)


def _style() -> str:
    return (ASSETS / "page.css").read_text(encoding="utf-8")


def _script() -> str:
    words = {language: _words(language) for language in languages()}
    constants = [_constant("VERSION", __version__), _constant("WORDS", words)]
    return "\n".join([*constants, *((ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS)])


def _constant(name: str, value: object) -> str:
    """Return a line of script. `<` is escaped, because `</script>` within a text would end the script."""
    return f"const {name} = {to_json(value).decode()};".replace("<", r"\u003c")


def _words(language: str) -> dict[str, str]:
    return {each.removeprefix("view."): text(each).in_language(language) for each in ViewMsg}


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
