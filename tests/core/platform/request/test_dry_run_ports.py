"""Ways out of the process lie in services, so that a dry run can leave them out."""

import ast
from pathlib import Path

import grimp

import ledgerkit

SOURCES = Path(ledgerkit.__file__).parent

DATA_DIRECTORY = {
    "core/platform/attachments/store/current.py",
    "core/operation/backup/archive/writer.py",
    "core/platform/database/readiness.py",
    "core/platform/mail/operations.py",
    "core/operation/personal_data/export/directory.py",
    "core/operation/installation/database/access.py",
}
"""Services that are made with the settings; readiness and backups are no operations."""

NETWORK = {
    "ledgerkit.core.messaging.messengers.telegram.client",
    "ledgerkit.core.platform.ai.model.sdk",
    "ledgerkit.core.platform.attachments.store.bucket",
    "ledgerkit.core.platform.mail.delivery.transport",
    "ledgerkit.core.platform.oauth.client_documents.fetcher",
}
"""Modules below services; the documents of OAuth clients are fetched before anybody is known, and messages
sent after the turn that wrote them, by no operation."""

LIBRARIES = {"aiosmtplib", "httpx2", "obstore", "openai", "smtplib", "socket", "urllib.request"}


def test_operations_know_no_directory():
    users = {
        path.relative_to(SOURCES).as_posix()
        for path in (SOURCES / "core").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == "data_dir"
    }

    assert users == DATA_DIRECTORY


def test_operations_open_no_connection():
    graph = grimp.build_graph("ledgerkit", include_external_packages=True)
    libraries = LIBRARIES & graph.modules

    users = {one for library in libraries for one in graph.find_modules_that_directly_import(library)}

    assert {"httpx2", "smtplib", "socket"} & libraries
    assert {one for one in users if one.startswith("ledgerkit.core.")} == NETWORK
