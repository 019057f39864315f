"""The cost of a password's derivation is read before it is paid, wherever the file states it."""

from base64 import encodebytes

import pytest
from cryptography.hazmat.primitives.hashes import SHA256 as SHA
from cryptography.hazmat.primitives.serialization import PrivateFormat, pkcs12

from ledgerkit.providers.api import UnusableCertificateError
from ledgerkit.providers.es.verifactu import credentials, key_protection
from ledgerkit.providers.es.verifactu.key_protection import CostlyError, check_cost
from ledgerkit.texts import languages
from support import der
from support.credentials import entity, person

MANY = 30_000_000
FEW = 2048


def pem(label: str, content: bytes, headers: str = "") -> bytes:
    return f"-----BEGIN {label}-----\n{headers}".encode() + encodebytes(content) + f"-----END {label}-----\n".encode()


def indefinite(content: bytes, depth: int = 0) -> bytes:
    """BER that says the ends of its sequences instead of their lengths, as some programs write it."""
    tag, body = content[0], content[2:] if content[1] < 128 else content[2 + (content[1] & 0x7F) :]
    if tag == 0x04 and depth < 4 and body[:1] == b"\x30":
        return b"\x24\x80" + der.octets(body[:5]) + der.octets(body[5:]) + b"\0\0"
    if not tag & 0x20:
        return content
    parts = b""
    while body:
        size = 2 + body[1] if body[1] < 128 else 2 + (n := body[1] & 0x7F) + int.from_bytes(body[2 : 2 + n])
        parts, body = parts + indefinite(body[:size], depth + 1), body[size:]
    return bytes([tag, 0x80]) + parts + b"\0\0"


PBMAC = der.mac(1, digest=der.algorithm(der.PBMAC1, der.sequence(der.pbkdf2(MANY), der.algorithm(der.HMAC_SHA256))))
KEY = der.key_bag(der.pbes2(der.pbkdf2(FEW)))
COSTLY = {
    "the seal": der.pfx(der.plain(der.bags(KEY)), seal=der.mac(MANY)),
    "the seal by PBMAC1": der.pfx(der.plain(der.bags(KEY)), seal=PBMAC),
    "the key": der.pfx(der.plain(der.bags(der.key_bag(der.pbes2(der.pbkdf2(MANY)))))),
    "the key by triple DES": der.pfx(der.plain(der.bags(der.key_bag(der.old(der.TRIPLE_DES, MANY))))),
    "the certificates": der.pfx(der.locked(der.pbes2(der.pbkdf2(MANY)))),
    "the certificates by MD5": der.pfx(der.locked(der.old(der.MD5_DES, MANY))),
    "the second of two": der.pfx(der.locked(der.pbes2(der.pbkdf2(FEW))), der.locked(der.pbes2(der.pbkdf2(MANY)))),
    "many keys together": der.pfx(der.plain(der.bags(*[der.key_bag(der.pbes2(der.pbkdf2(600_000)))] * 10))),
    "the key by scrypt": der.pfx(der.plain(der.bags(der.key_bag(der.pbes2(der.scrypt(1 << 20, 8)))))),
    "scrypt of wide blocks": der.pfx(der.plain(der.bags(der.key_bag(der.pbes2(der.scrypt(1 << 14, 1 << 10)))))),
    "scrypt many times": der.pfx(der.plain(der.bags(der.key_bag(der.pbes2(der.scrypt(1 << 14, 8, 1000)))))),
    "a long key": der.pfx(der.locked(der.pbes2(der.pbkdf2(600_000, der.SALT, der.number(100_000))))),
    "a long salt": der.pfx(der.locked(der.pbes2(der.pbkdf2(1, bytes(40_000))))),
    "a long salt of the seal": der.pfx(der.plain(der.bags(KEY)), seal=der.mac(1, bytes(40_000))),
    "a key in PEM": pem("ENCRYPTED PRIVATE KEY", der.locked_key(der.pbes2(der.pbkdf2(MANY)))),
    "a key in PEM by triple DES": pem("ENCRYPTED PRIVATE KEY", der.locked_key(der.old(der.TRIPLE_DES, MANY))),
    "a key in PEM by scrypt": pem("ENCRYPTED PRIVATE KEY", der.locked_key(der.pbes2(der.scrypt(1 << 24, 8)))),
    "a second key in PEM": person().pem() + pem("ENCRYPTED PRIVATE KEY", der.locked_key(der.pbes2(der.pbkdf2(MANY)))),
    "a key in PEM behind a header": pem(
        "ENCRYPTED PRIVATE KEY", der.locked_key(der.pbes2(der.pbkdf2(MANY))), "X-Tool: a-b-c\r\n\r\n"
    ),
    "a number of many bytes": der.pfx(der.plain(der.bags(KEY)), seal=der.mac(1 << 4000)),
}


@pytest.mark.parametrize("what", COSTLY)
def test_a_costly_file_is_refused_in_words_and_without_being_opened(what, monkeypatch):
    for name in ("load_key_and_certificates", "load_pem_private_key"):
        monkeypatch.setattr(credentials, name, lambda *_, **__: pytest.fail("was opened"))

    with pytest.raises(UnusableCertificateError) as refused:
        credentials.opened_with(COSTLY[what], "hunter2")

    assert refused.value.code == "CERTIFICATE_TOO_COSTLY"
    assert set(refused.value.translations) == set(languages())
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("what", ["the seal", "the key", "the certificates", "the second of two"])
def test_lengths_that_are_not_said_hide_nothing(what):
    with pytest.raises(CostlyError):
        check_cost(indefinite(COSTLY[what]))


@pytest.mark.parametrize("content", [b"\x30\x80" * 1000, der.sequence(*[der.number(0)] * 21_000)])
def test_a_file_of_endless_parts_is_refused(content):
    with pytest.raises(CostlyError):
        check_cost(content)


@pytest.mark.parametrize(
    "content", [b"", b"x", b"\x30", b"\x30\x84\xff\xff\xff\xff", b"\x30\x80", b"\x30\x03\x02\x05\x01", b"\x1f\xff\xff"]
)
def test_what_is_no_file_of_a_key_costs_nothing(content):
    check_cost(content)
    check_cost(pem("PRIVATE KEY", content))
    check_cost(b"-----BEGIN PRIVATE KEY-----\n" + content)


USUAL = [
    PrivateFormat.PKCS12.encryption_builder().kdf_rounds(600_000).hmac_hash(SHA()),
    PrivateFormat.PKCS12.encryption_builder()
    .kdf_rounds(2048)
    .key_cert_algorithm(pkcs12.PBES.PBESv1SHA1And3KeyTripleDESCBC),
]


@pytest.mark.parametrize("builder", USUAL, ids=["today's", "of old"])
def test_files_of_usual_settings_are_opened(builder):
    one, authority = person(), entity("B12345674")
    content = pkcs12.serialize_key_and_certificates(
        b"x", one.key, one.certificate, [authority.certificate], builder.build(b"secret")
    )

    opened = credentials.opened_with(content, "secret")

    assert opened.certificate == one.certificate
    assert opened.chain == (authority.certificate,)


def test_keys_in_pem_are_opened():
    one = person()

    assert credentials.opened_with(one.pem("secret"), "secret").certificate == one.certificate


def test_what_usual_files_take_is_far_below_the_bounds():
    reader = key_protection._Reader()
    one, authority = person(kind="rsa"), entity("B12345674", kind="rsa").certificate

    reader.all(one.pkcs12("secret", (authority,) * 3), 0)

    assert reader._seen < key_protection.MAX_ELEMENTS / 20


def test_a_key_of_many_bits_is_refused(monkeypatch):
    monkeypatch.setattr(credentials, "MAX_RSA_BITS", 2047)

    with pytest.raises(UnusableCertificateError) as refused:
        credentials.opened_with(person(kind="rsa").pem(), None)

    assert refused.value.code == "CERTIFICATE_KEY_LARGE"
