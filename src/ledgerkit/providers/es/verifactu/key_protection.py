"""Cost of opening a key that is protected by a password, read from the file before anything is derived.

Whoever makes a file chooses how many rounds a password takes: 2,000 to 600,000 are usual, and billions are possible.
Parameters that lie within what is encrypted cannot be read beforehand; for those, and for all else that opening may
cost, files of strangers are read in a process that can be killed. Sources: RFC 7292 (PKCS#12), RFC 8018 (PKCS#5: PBES1,
PBES2, PBKDF2), RFC 7914 (scrypt), RFC 9579 (PBMAC1), RFC 5958 (encrypted keys in PEM).
"""

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ledgerkit.providers.es.verifactu.messages import VerifactuMsg
from ledgerkit.texts import Message, MessageId

MAX_ROUNDS = 5_000_000
"""Most rounds of all passwords in a file: some seconds. Three parts of 600,000 rounds and a seal have 2,400,000."""

MAX_SCRYPT_BYTES = 64 << 20
"""Most memory of scrypt in bytes, 128 * N * r (RFC 7914 §2); usual are 16 MiB."""

MAX_SALT_BYTES = 1024
MAX_DEPTH = 32
MAX_ELEMENTS = 20_000
"""Most parts, and parts within parts; a file with a chain of three certificates has some 400, and 14 in one another."""

_SEQUENCE, _INTEGER, _OCTETS, _OID = 0x10, 0x02, 0x04, 0x06
_CONSTRUCTED, _LONG_TAG = 0x20, 0x1F
_INDEFINITE, _END_OF_CONTENTS = 0x80, b"\0\0"
_OPENING = b"\x30"
"""First byte of a SEQUENCE: contents passed as octets mostly are one."""

_PBE = (bytes.fromhex("2A864886F70D010C01"), bytes.fromhex("2A864886F70D0105"))
"""Beginnings of identifiers whose algorithms take a password: PKCS#12 (1.2.840.113549.1.12.1), PKCS#5 (...1.5)."""

_PBKDF2 = bytes.fromhex("2A864886F70D01050C")
_SCRYPT = bytes.fromhex("2B06010401DA47040B")

_PEM_BLOCK = re.compile(rb"-----BEGIN ([A-Z0-9 ]{1,40})-----(.*?)-----END ", re.DOTALL)


class CostlyError(ValueError):
    """Opening the file would cost too much; `text` names the cost."""

    def __init__(self, message: MessageId, /, **values: object) -> None:
        super().__init__(message)
        self.text = Message(message, values)


class _Element(NamedTuple):
    """One element of BER (X.690 §8); `tag` with its class bits and without that of constructed ones."""

    tag: int
    content: bytes
    parts: Sequence["_Element"]


def check_cost(content: bytes) -> None:
    """Raise CostlyError for a costly file. Neither PEM nor BER costs nothing: it cannot be opened either."""
    rounds = sum(_rounds(element) for element in _elements(content))
    if rounds > MAX_ROUNDS:
        raise CostlyError(VerifactuMsg.COST_ROUNDS, rounds=rounds, most=MAX_ROUNDS)


# ---------------------------------------------------------------- costs


def _rounds(element: _Element) -> int:
    """Sum the rounds of the algorithms in an element. Raises CostlyError for salts and memory of no usual size."""
    parts = element.parts
    kinds = [part.tag for part in parts]
    own_rounds = 0
    if kinds[:2] == [_OID, _SEQUENCE]:
        own_rounds = _rounds_of(parts[0].content, parts[1].parts)
    elif kinds == [_SEQUENCE, _OCTETS, _INTEGER]:  # MacData of PKCS#12: digest, salt, iterations
        own_rounds = _derived(parts[1], parts[2], 1)
    return own_rounds + sum(_rounds(part) for part in parts)


def _rounds_of(algorithm: bytes, parameters: Sequence[_Element]) -> int:
    if algorithm == _SCRYPT and len(parameters) >= 4:
        _check_scrypt(parameters)
    if algorithm == _PBKDF2 and len(parameters) >= 2:
        blocks = max([1, *(_number(parameter) // 20 for parameter in parameters[2:] if parameter.tag == _INTEGER)])
        return _derived(parameters[0], parameters[1], blocks)
    if algorithm.startswith(_PBE) and [parameter.tag for parameter in parameters] == [_OCTETS, _INTEGER]:
        return _derived(parameters[0], parameters[1], 3)  # two blocks of a key, and what the cipher begins with
    return 0


def _derived(salt: _Element, iterations: _Element, blocks: int) -> int:
    if len(salt.content) > MAX_SALT_BYTES:
        raise CostlyError(VerifactuMsg.COST_SALT, size=len(salt.content), most=MAX_SALT_BYTES)
    return blocks * max(0, _number(iterations))


def _check_scrypt(parameters: Sequence[_Element]) -> None:
    cost, block_size, parallel = (_number(parameter) for parameter in parameters[1:4])
    memory = 128 * cost * block_size * max(1, parallel)
    if memory > MAX_SCRYPT_BYTES:
        raise CostlyError(VerifactuMsg.COST_SCRYPT, memory=memory >> 20, most=MAX_SCRYPT_BYTES >> 20)


def _number(element: _Element) -> int:
    return int.from_bytes(element.content, signed=True)


# ---------------------------------------------------------------- reading


def _elements(content: bytes) -> Iterator[_Element]:
    """The outermost elements of a file: those of PKCS#12, or of each key in PEM."""
    blocks = _PEM_BLOCK.findall(content)
    for label, text in blocks:
        if label.endswith(b"PRIVATE KEY"):
            yield from _Reader().all(_unwrapped(text), 0)
    if not blocks:
        yield from _Reader().all(content, 0)


def _unwrapped(text: bytes) -> bytes:
    """Return the contents of a PEM block, without the headers that it may begin with (RFC 1421 §4.4)."""
    try:
        return base64.b64decode(text.replace(b"\r", b"").rpartition(b"\n\n")[2])
    except binascii.Error:
        return b""


class _Reader:
    """Reader of BER elements with their contents; what follows a mistake is left out."""

    def __init__(self) -> None:
        self._seen = 0

    def all(self, content: bytes, depth: int) -> list[_Element]:
        return self._sequence(content, 0, depth)[0]

    def _sequence(self, content: bytes, at: int, depth: int) -> tuple[list[_Element], int]:
        """The elements from `at` to the end of `content`, or to an end-of-contents, and where that is over."""
        elements: list[_Element] = []
        while at + 2 <= len(content) and content[at : at + 2] != _END_OF_CONTENTS:
            element, at = self._element(content, at, depth)
            if element is None:
                break
            elements.append(element)
        return elements, at + 2

    def _element(self, content: bytes, at: int, depth: int) -> tuple[_Element | None, int]:
        self._seen += 1
        if depth > MAX_DEPTH or self._seen > MAX_ELEMENTS:
            raise CostlyError(VerifactuMsg.COST_PARTS)
        tag, at = content[at], at + 1
        length, at = _length(content, at)
        if length is None:
            parts, following = self._sequence(content, at, depth + 1)
            inner = b"".join(part.content for part in parts)
        else:
            inner, following = content[at : at + length], at + length
            parts = self.all(inner, depth + 1) if tag & _CONSTRUCTED else []
        if following > len(content) or tag & _LONG_TAG == _LONG_TAG:
            return None, following
        kind = tag & ~_CONSTRUCTED
        if kind == _OCTETS:
            whole = b"".join(part.content for part in parts) if tag & _CONSTRUCTED else inner
            return _Element(kind, whole, self.all(whole, depth + 1) if whole[:1] == _OPENING else ()), following
        return _Element(kind, inner, parts), following


def _length(content: bytes, at: int) -> tuple[int | None, int]:
    """Return the length (None: until an end-of-contents) and the start of the contents that follow."""
    first, at = content[at], at + 1
    if first == _INDEFINITE:
        return None, at
    if first < _INDEFINITE:
        return first, at
    size = first & 0x7F
    return int.from_bytes(content[at : at + size]), at + size
