"""Files as callers send them, and where the server keeps them."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

from ledgerkit.core.platform.request.context import Kernel
from support.api import Api

URL = "/api/attachments"
PDF = b"%PDF-1.4\n%%EOF\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(64))
JPEG = b"\xff\xd8\xff\xe0" + bytes(range(64))


def data_url(content: bytes, media_type: str = "application/octet-stream") -> str:
    return f"data:{media_type};base64,{b64encode(content).decode()}"


def of(document_type: str, document: Any) -> dict[str, str]:
    return {"documentType": document_type, "documentId": document["id"]}


def file_body(content: bytes = PDF, name: str = "factura.pdf", **document: str) -> dict[str, str]:
    return {"name": name, "content": data_url(content), **document}


async def uploaded(api: Api, content: bytes = PDF, name: str = "factura.pdf", **document: str) -> Any:
    return await api.post(URL, file_body(content, name, **document))


async def content_of(api: Api, attachment: Any) -> bytes:
    answer = await api.request("GET", f"{URL}/{attachment['id']}/content")
    assert answer.status_code == 200, answer.text
    return answer.content


async def expense(api: Api, **fields: Any) -> Any:
    return await api.post("/api/expenses", {"description": "Tóner", "amount": 60.5, "date": "2026-11-02", **fields})


def stored(kernel: Kernel) -> dict[str, bytes]:
    """The contents in the data directory by their SHA-256; drafts under their own names."""
    root: Path = kernel.settings.data_dir / "attachments"
    return {path.name: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def digest(content: bytes) -> str:
    return sha256(content).hexdigest()
