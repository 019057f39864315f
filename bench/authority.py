"""The authority that the server reports to while it is measured, a process of its own, and what it notes of the order.

It is the sandbox, over TLS, judging every record and keeping it on the disk.
"""

import re
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any

from process import serve_jobs

from ledgerkit.providers.es.sandbox import sandbox

_ISSUER = re.compile(rb"ObligadoEmision>.*?NIF>([^<]+)<", re.DOTALL)
_RECORD = re.compile(rb"<\w+:RegistroAlta[ >].*?</\w+:RegistroAlta>", re.DOTALL)
_FINGERPRINT = re.compile(rb":Huella>([^<]+)<")


class Authority:
    def __init__(self, directory: Path) -> None:
        self._sandbox = sandbox(directory)
        self._forget()

    def _forget(self) -> None:
        self._begin = perf_counter()
        self._arrivals: list[tuple[float, str]] = []
        self._last: dict[str, bytes] = {}
        self._messages = self._disorder = 0

    async def start(self, _: dict[str, Any]) -> dict[str, Any]:
        self._sandbox.listener = self._heard
        await self._sandbox.start()
        access = self._sandbox.access
        return {"url": access.url, "ca": str(access.ca_file), "certificate": str(access.certificate_file)}

    async def pace(self, job: dict[str, Any]) -> dict[str, Any]:
        """From now on answers ask for this pause, in seconds, and what has been heard is forgotten."""
        self._sandbox.wait_seconds = job["seconds"]
        self._forget()
        return {}

    async def progress(self, _: dict[str, Any]) -> dict[str, Any]:
        """Records heard since `pace`, how fast, how evenly among issuers, and how many came before their turn."""
        whole = Counter(issuer for _, issuer in self._arrivals)
        half = Counter(dict.fromkeys(whole, 0))
        half.update(issuer for _, issuer in self._arrivals[: len(self._arrivals) // 2])
        ends = {issuer: at for at, issuer in self._arrivals}
        return {
            "records": len(self._arrivals),
            "messages": self._messages,
            "disorder": self._disorder,
            "seconds": self._arrivals[-1][0] if self._arrivals else 0,
            "least": min(half.values(), default=0),
            "most": max(half.values(), default=0),
            "first_done": min(ends.values(), default=0),
            "last_done": max(ends.values(), default=0),
        }

    def _heard(self, message: bytes) -> None:
        issuer = _ISSUER.search(message)[1].decode()
        self._messages += 1
        for record in _RECORD.findall(message):
            *before, own = _FINGERPRINT.findall(record)
            if self._last.get(issuer) != (before[0] if before else None):
                self._disorder += 1
            self._last[issuer] = own
            self._arrivals.append((perf_counter() - self._begin, issuer))


if __name__ == "__main__":
    authority = Authority(Path(sys.argv[1]))
    serve_jobs({"start": authority.start, "pace": authority.pace, "progress": authority.progress})
