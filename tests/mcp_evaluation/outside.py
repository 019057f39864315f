"""Search for the right tool by words alone, for requests of five authors who have never seen a description."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_evaluation import retrieval
from mcp_evaluation.retrieval import Request, Scores

FOLDER = Path(__file__).with_name("outside_requests")
AUTHORS = ("first", "second", "third", "fourth", "fifth")

TOOLS_OF_ACTS: Mapping[str, tuple[str, ...]] = {
    "bill-cancel": ("cancel_supplier_invoice",),
    "bill-list": ("list_supplier_invoices",),
    "bill-pay": ("record_supplier_payment",),
    "bill-record": ("create_supplier_invoice",),
    "bill-scan": ("scan_receipt", "read_supplier_invoice_image"),
    "client-list": ("list_clients",),
    "client-save": ("save_client",),
    "company-read": ("get_team",),
    "company-setup": ("save_company",),
    "context-read": ("get_business_context",),
    "context-remember": ("save_context_entry", "update_context_summary"),
    "delete-record": ("delete_record",),
    "document-pdf": ("get_document",),
    "expense-categorise": ("categorize_expense",),
    "expense-list": ("list_expenses",),
    "expense-save": ("create_expense", "update_expense"),
    "fiscal-status": ("get_einvoice_status",),
    "history": ("get_history",),
    "invoice-annul": ("annul_einvoice",),
    "invoice-change": ("update_invoice",),
    "invoice-copy": ("duplicate_invoice",),
    "invoice-correct": ("create_credit_note",),
    "invoice-draft": ("create_invoice",),
    "invoice-emit": ("emit_einvoice",),
    "invoice-list": ("list_invoices",),
    "invoice-mail": ("send_invoice",),
    "invoice-paid": ("mark_invoice_paid",),
    "invoice-read": ("get_invoice",),
    "invoice-share-link": ("share_invoice",),
    "member-invite": ("invite_member",),
    "member-remove": ("remove_member",),
    "member-role": ("set_member_role",),
    "merge-duplicates": ("merge_records",),
    "payables": ("get_payables",),
    "product-import": ("import_catalog",),
    "product-list": ("list_catalog_items",),
    "product-save": ("save_catalog_item",),
    "receivables": ("get_receivables", "list_invoices"),
    "register-close": ("close_cash_register",),
    "register-list": ("get_cash_register",),
    "register-movement": ("add_cash_movement",),
    "register-open": ("open_cash_register",),
    "report": ("get_report",),
    "search": ("search",),
    "stock-adjust": ("adjust_stock",),
    "task-list": ("list_tasks",),
    "task-move": ("move_task",),
    "task-save": ("save_task",),
    "tax-calendar": ("list_tax_declarations",),
    "tax-form-change-box": ("update_tax_declaration",),
    "tax-form-lock": ("lock_tax_declaration",),
    "tax-form-prepare": ("generate_tax_declaration",),
    "tax-form-read": ("get_tax_declaration",),
    "undo": ("undo",),
    "vat-balance": ("get_report",),
    "vendor-list": ("list_vendors",),
    "vendor-save": ("save_vendor",),
}
"""Tools that do what the authors call so."""

WITHOUT_TOOL = {"stock-movements"}
"""Acts that no tool does; a request for nothing else is left out, and counted."""


def requests(language: str, *authors: str) -> tuple[list[Request], int]:
    """Return the requests of authors in a language, and the number of those that no tool can answer."""
    rows = [row for author in authors for row in _rows(author) if row["language"] == language]
    tools = [frozenset(tool for act in row["acts"] for tool in TOOLS_OF_ACTS.get(act, ())) for row in rows]
    asked = [Request(row["text"], right, held_out=True) for row, right in zip(rows, tools, strict=True) if right]
    return asked, len(rows) - len(asked)


def measured(language: str, *authors: str) -> Scores:
    """Return the scores of the requests of authors in a language; of all authors by default."""
    return retrieval.scores(retrieval.catalogue(), requests(language, *(authors or AUTHORS))[0], retrieval.of_tools)


def acts() -> set[str]:
    """Return all acts that the authors have asked for."""
    return {act for author in AUTHORS for row in _rows(author) for act in row["acts"]}


def _rows(author: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads((FOLDER / f"{author}.toml").read_text())["requests"]
    return rows
