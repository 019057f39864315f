"""Key files of any cost, built by hand: nobody has to derive a key for a file that is to be refused."""

import os

from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

DATA, ENCRYPTED_DATA = "1.2.840.113549.1.7.1", "1.2.840.113549.1.7.6"
PBES2, PBKDF2, PBMAC1 = "1.2.840.113549.1.5.13", "1.2.840.113549.1.5.12", "1.2.840.113549.1.5.14"
SCRYPT = "1.3.6.1.4.1.11591.4.11"
AES_256_CBC, HMAC_SHA256, SHA256 = "2.16.840.1.101.3.4.1.42", "1.2.840.113549.2.9", "2.16.840.1.101.3.4.2.1"
TRIPLE_DES, MD5_DES = "1.2.840.113549.1.12.1.3", "1.2.840.113549.1.5.3"
SHROUDED_KEY, CERTIFICATE = "1.2.840.113549.1.12.10.1.2", "1.2.840.113549.1.12.10.1.3"
SALT = b"saltsalt"


def der(tag: int, content: bytes) -> bytes:
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([0x80 | (n := (size.bit_length() + 7) // 8)]) + size.to_bytes(n)
    return bytes([tag]) + length + content


def sequence(*parts: bytes) -> bytes:
    return der(0x30, b"".join(parts))


def number(value: int) -> bytes:
    return der(0x02, value.to_bytes(value.bit_length() // 8 + 1, signed=True))


def octets(content: bytes) -> bytes:
    return der(0x04, content)


def explicit(content: bytes, tag: int = 0) -> bytes:
    return der(0xA0 | tag, content)


def oid(text: str) -> bytes:
    first, second, *rest = map(int, text.split("."))
    arms = bytes([40 * first + second])
    for arm in rest:
        groups = [arm & 0x7F]
        while arm := arm >> 7:
            groups.insert(0, 0x80 | arm & 0x7F)
        arms += bytes(groups)
    return der(0x06, arms)


def algorithm(name: str, *parameters: bytes) -> bytes:
    return sequence(oid(name), *parameters)


def pbkdf2(rounds: int, salt: bytes = SALT, *more: bytes) -> bytes:
    return algorithm(PBKDF2, sequence(octets(salt), number(rounds), *more, algorithm(HMAC_SHA256)))


def scrypt(cost: int, block_size: int, parallel: int = 1) -> bytes:
    return algorithm(SCRYPT, sequence(octets(SALT), number(cost), number(block_size), number(parallel)))


def pbes2(derivation: bytes, iv: bytes = bytes(16)) -> bytes:
    return algorithm(PBES2, sequence(derivation, algorithm(AES_256_CBC, octets(iv))))


def old(name: str, rounds: int, salt: bytes = SALT) -> bytes:
    """An algorithm of before 2000, which takes salt and rounds itself."""
    return algorithm(name, sequence(octets(salt), number(rounds)))


def locked_key(protection: bytes, content: bytes = bytes(64)) -> bytes:
    """EncryptedPrivateKeyInfo."""
    return sequence(protection, octets(content))


def bags(*bags: bytes) -> bytes:
    """SafeContents."""
    return sequence(*bags)


def key_bag(protection: bytes) -> bytes:
    return sequence(oid(SHROUDED_KEY), explicit(locked_key(protection)))


def plain(contents: bytes) -> bytes:
    return sequence(oid(DATA), explicit(octets(contents)))


def locked(protection: bytes, content: bytes = bytes(64)) -> bytes:
    body = sequence(oid(DATA), protection, der(0x80, content))
    return sequence(oid(ENCRYPTED_DATA), explicit(sequence(number(0), body)))


def really_locked(contents: bytes, password: str, rounds: int = 1) -> bytes:
    """Make a file like `locked`, with content that the password opens."""
    iv = os.urandom(16)
    key = PBKDF2HMAC(hashes.SHA256(), 32, SALT, rounds).derive(password.encode())
    padder = padding.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return locked(pbes2(pbkdf2(rounds), iv), encryptor.update(padder.update(contents) + padder.finalize()))


def mac(rounds: int, salt: bytes = SALT, digest: bytes = algorithm(SHA256)) -> bytes:
    return sequence(sequence(digest, octets(bytes(32))), octets(salt), number(rounds))


def pfx(*contents: bytes, seal: bytes = b"") -> bytes:
    """A whole PKCS#12 file."""
    return sequence(number(3), plain(sequence(*contents)), seal)
