"""Faults between a server and its authority, and a log of the step of a record's life that each one hit."""

import re
from collections import Counter, defaultdict, deque
from enum import StrEnum
from threading import Lock

from ledgerkit.providers.es.sandbox import Fault, Faults, HttpAnswer, Spoil
from ledgerkit.providers.es.sandbox.faults import (
    CLOSE_BEFORE_READING,
    HTML_PAGE,
    LOST_ANSWER,
    REDIRECT,
    SERVER_ERROR,
    TOO_MANY_REQUESTS,
)

_ISSUER = re.compile(rb"ObligadoEmision>.*?NIF>([^<]+)<", re.DOTALL)
_RECORD = re.compile(rb"<\w+:Registro(Alta|Anulacion)[ >].*?(?:</\w+:Registro\1>|$)", re.DOTALL)


class Step(StrEnum):
    """Step of an invoice's life that a record reports."""

    ISSUE = "issue"
    CORRECTION = "correction"
    ANNULMENT = "annulment"
    CREDIT_NOTE = "credit note"


def faults(patience: float) -> dict[str, Fault]:
    """Every fault of the authority by its name; `patience` is how long the server waits for an answer, in seconds."""
    return {
        "soap fault, client": Fault(soap_code=4102),
        "soap fault, server": Fault(soap_code=3501),
        "redirect": REDIRECT,
        "400": Fault(http=HttpAnswer(status=400)),
        "401": Fault(http=HttpAnswer(status=401)),
        "403": Fault(http=HttpAnswer(status=403)),
        "429": TOO_MANY_REQUESTS if patience > 60 else Fault(http=HttpAnswer(status=429)),
        "500": SERVER_ERROR,
        "503": Fault(http=HttpAnswer(status=503, headers=(("Retry-After", "1"),))),
        "html": HTML_PAGE,
        "html for an answer": Fault(http=HttpAnswer(status=200, headers=_XML, body=HTML_PAGE.http.body)),
        "cut before reading": CLOSE_BEFORE_READING,
        "lost": LOST_ANSWER,
        "late": Fault(delay_seconds=patience + 1),
        "drip": Fault(spoil=Spoil.DRIP, delay_seconds=2 * patience + 2),
        "reset instead of an answer": Fault(spoil=Spoil.RESET),
        "reset in the middle": Fault(spoil=Spoil.CUT),
        "truncated": Fault(spoil=Spoil.TRUNCATED),
        "empty": Fault(spoil=Spoil.EMPTY),
        "garbage": Fault(spoil=Spoil.GARBAGE),
        "wrong type": Fault(spoil=Spoil.TYPE),
        "dtd": Fault(spoil=Spoil.DTD),
    }


_XML = (("Content-Type", "text/xml; charset=utf-8"),)


def steps(message: bytes) -> list[Step]:
    """Steps of the records in a message, as far as the message arrived."""
    return [_step(match[0]) for match in _RECORD.finditer(message)]


def issuer(message: bytes) -> str:
    """The NIF in the header of a message."""
    match = _ISSUER.search(message)
    return match[1].decode() if match else ""


def _step(record: bytes) -> Step:
    if b":RegistroAnulacion" in record[:40]:
        return Step.ANNULMENT
    if b":Subsanacion>S<" in record:
        return Step.CORRECTION
    return Step.CREDIT_NOTE if b":TipoFactura>R" in record else Step.ISSUE


class Armed(Faults):
    """Faults for the next message of a certain issuer; `struck` counts which steps have suffered which."""

    def __init__(self) -> None:
        super().__init__()
        self.struck: Counter[tuple[str, Step]] = Counter()
        self._waiting: dict[str, deque[tuple[str, Fault]]] = defaultdict(deque)
        self._suffering: dict[str, str] = {}
        self._guard = Lock()

    def arm(self, nif: str, name: str, fault: Fault) -> None:
        """The issuer's next message suffers `fault`, after those that are waiting already."""
        with self._guard:
            self._waiting[nif].append((name, fault))

    def waiting(self, nif: str) -> int:
        """Number of faults that wait for the issuer's messages."""
        with self._guard:
            return len(self._waiting[nif])

    def disarm(self) -> None:
        with self._guard:
            self._waiting.clear()

    def take(self, start: bytes) -> Fault:
        nif = issuer(start)
        with self._guard:
            if not self._waiting[nif]:
                return Fault()
            name, fault = self._waiting[nif].popleft()
            self._suffering[nif] = name
        if fault.close_before_reading:
            self.heard(start)
        return fault

    def heard(self, message: bytes) -> None:
        """Note which steps a message holds that suffers what has been taken for it."""
        with self._guard:
            name = self._suffering.pop(issuer(message), None)
            if name is not None:
                self.struck.update((name, step) for step in set(steps(message)))
