"""Verify XAdES-EPES signatures: ours, and those of other systems that follow the AEAT's specification.

Content, place and algorithms of a signature are a closed list: a signature that covers something else than the record
it stands in, by whatever transform or reference, is refused. The trust in the certificate's authority and a revocation
are not checked.
Source: AEAT, signature specification 0.1.5; XML Signature, section 3.2; ETSI TS 101 903 v1.3.2.
"""

import hashlib
from base64 import b64decode, b64encode
from binascii import Error as BadBase64
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from lxml import etree

from ledgerkit.providers.es.verifactu.signed_mode import signing
from ledgerkit.providers.es.verifactu.signed_mode.signing import C14N, ENVELOPED, POLICY, POLICY_DIGEST, SHA1, SHA256
from ledgerkit.providers.es.verifactu.xml import EVENTS, INFORMATION, NO_DEFAULT

MIN_KEY_BITS = 1024
"""The official minimum; ours are longer."""

_DS, _XADES = f"{{{signing.DS}}}", f"{{{signing.XADES}}}"
_SHA512 = "http://www.w3.org/2001/04/xmlenc#sha512"
_RSA: dict[str, hashes.HashAlgorithm] = {
    signing.RSA_SHA256: hashes.SHA256(),
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512": hashes.SHA512(),
}
_DIGESTS: dict[str, Callable[[bytes], bytes]] = {
    SHA256: lambda content: hashlib.sha256(content).digest(),
    _SHA512: lambda content: hashlib.sha512(content).digest(),
}
_CERTIFICATE_DIGESTS = _DIGESTS | {SHA1: lambda content: hashlib.sha1(content, usedforsecurity=False).digest()}
"""SHA-1 may name a certificate, as it does in the AEAT's sample; it never covers a record."""

_SIGNED = {
    f"{{{INFORMATION}}}RegistroAlta": (None, f"{{{INFORMATION}}}FechaHoraHusoGenRegistro"),
    f"{{{INFORMATION}}}RegistroAnulacion": (None, f"{{{INFORMATION}}}FechaHoraHusoGenRegistro"),
    f"{{{EVENTS}}}RegistroEvento": (f"{{{EVENTS}}}Evento", f"{{{EVENTS}}}FechaHoraHusoGenEvento"),
}
"""Elements that can be signed: the child that holds the signature, and the leaf with the time of generation."""

_RECORD_TRANSFORMS = ((ENVELOPED,), (ENVELOPED, C14N))
_UNSIGNED_ATTRIBUTES = {f"{_DS}Signature": {"Id"}, f"{_XADES}QualifyingProperties": {"Target"}}


class SignatureError(Exception):
    """A signature that does not hold; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Signed:
    """A valid signature: its certificate, and the signing time that it states."""

    certificate: x509.Certificate
    signed_at: datetime


def verify(content: bytes, *, exact: bool = False) -> Signed:
    """Verify the only signature of a record or event that is a document of its own.

    `exact` is for records that this software has signed: then every byte has to be as it was written, even one that
    does not change the meaning. Raises SignatureError.
    """
    root = _parsed(content)
    signature = _only_signature(root)
    if exact:
        _check_exact(content, root, signature)
    return _verify(root, signature)


def verify_in_place(root: etree._Element) -> Signed:
    """Verify the only signature of a record inside a message, with the namespaces that it inherits there.

    Raises SignatureError.
    """
    return _verify(root, _only_signature(root))


def _verify(root: etree._Element, signature: etree._Element) -> Signed:
    info, value, key_info, qualifying = _parts(signature)
    method = _algorithm(info, "SignatureMethod")
    if _algorithm(info, "CanonicalizationMethod") != C14N or method not in _RSA:
        raise SignatureError("the signature uses an algorithm that is not allowed")
    record, properties = _references(info)
    signed = _signed_properties(signature, qualifying, properties)
    covered = _canonical(info)
    _check_digest(properties, _canonical(signed))
    _check_digest(record, _without(root, signature))
    certificate = _certificate(key_info, signed)
    try:
        _key(certificate).verify(_decoded(value), covered, PKCS1v15(), _RSA[method])
    except InvalidSignature:
        raise SignatureError("the signature does not belong to this record and certificate") from None
    signed_at = _checked_properties(signed, record)
    _check_validity(certificate, [_instant(root), signed_at])
    return Signed(certificate=certificate, signed_at=signed_at)


def _parsed(content: bytes) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as failure:
        msg = f"it is no XML: {failure}"
        raise SignatureError(msg) from None
    if root.getroottree().docinfo.doctype:
        raise SignatureError("it carries a document type")
    return root


def _only_signature(root: etree._Element) -> etree._Element:
    """Return the signature, which has to be in the only place where it covers its record."""
    if str(root.tag) not in _SIGNED:
        msg = f"{etree.QName(root).localname} is nothing that can be signed"
        raise SignatureError(msg)
    inside, _ = _SIGNED[str(root.tag)]
    if any(not isinstance(each.tag, str) for each in root.iter()):
        raise SignatureError("it holds comments, instructions or entities, which no signature covers")
    signatures = list(root.iter(f"{_DS}Signature"))
    if len(signatures) != 1:
        msg = f"it holds {len(signatures)} signatures instead of one"
        raise SignatureError(msg)
    parent = root if inside is None else root[-1]
    if signatures[0] is not parent[-1] or (inside is not None and parent.tag != inside):
        raise SignatureError("the signature is not the last element of its record")
    return signatures[0]


def _parts(signature: etree._Element) -> tuple[etree._Element, etree._Element, etree._Element, etree._Element]:
    expected_tags = [f"{_DS}{name}" for name in ("SignedInfo", "SignatureValue", "KeyInfo", "Object")]
    if [each.tag for each in signature] != expected_tags:
        raise SignatureError("the parts of the signature are not those of a XAdES signature")
    info, value, key_info, holder = signature
    if [each.tag for each in holder] != [f"{_XADES}QualifyingProperties"]:
        raise SignatureError("the signature carries something else than its properties")
    return info, value, key_info, holder[0]


def _references(info: etree._Element) -> tuple[etree._Element, etree._Element]:
    """Return the two references: to the whole document without the signature, and to the signature's properties."""
    names = ["CanonicalizationMethod", "SignatureMethod", "Reference", "Reference"]
    if [each.tag for each in info] != [f"{_DS}{name}" for name in names]:
        raise SignatureError("the signature does not cover exactly its record and its properties")
    record, properties = info[2], info[3]
    if record.get("URI") != "" or record.get("Type") is not None or _transforms(record) not in _RECORD_TRANSFORMS:
        raise SignatureError("the signature does not cover the whole record, or transforms it")
    if properties.get("Type") != signing.SIGNED_PROPERTIES or _transforms(properties) != (C14N,):
        raise SignatureError("the signature does not cover its own properties, or transforms them")
    return record, properties


def _transforms(reference: etree._Element) -> tuple[str | None, ...]:
    if any(len(each) or each.text for each in reference.iter(f"{_DS}Transform")):
        raise SignatureError("a transform of the signature has parameters")
    return tuple(each.get("Algorithm") for each in reference.iterfind(f"{_DS}Transforms/*"))


def _signed_properties(
    signature: etree._Element, qualifying: etree._Element, reference: etree._Element
) -> etree._Element:
    """Return the properties of this very signature, whose id nothing else in the document has."""
    name, properties = reference.get("URI", "")[1:], qualifying[0] if len(qualifying) else None
    if properties is None or properties.tag != f"{_XADES}SignedProperties" or len(qualifying) > 2:
        raise SignatureError("the signature has no signed properties")
    bearers = [each for each in _top(signature).iter(etree.Element) if name in {each.get("Id"), each.get("ID")}]
    if reference.get("URI") != f"#{properties.get('Id')}" or not name or bearers != [properties]:
        raise SignatureError("the signature covers other properties than its own")
    if not signature.get("Id") or qualifying.get("Target") != f"#{signature.get('Id')}":
        raise SignatureError("the properties are those of another signature")
    return properties


def _top(element: etree._Element) -> etree._Element:
    return element.getroottree().getroot()


def _without(root: etree._Element, signature: etree._Element) -> bytes:
    """The record before it was signed: what the enveloped-signature transform leaves, including text after it."""
    parent, before = signature.getparent(), signature.getprevious()
    if parent is None or before is None:
        raise SignatureError("there is nothing before the signature")
    tail, tail_before = signature.tail, before.tail
    before.tail = (tail_before or "") + (tail or "")
    parent.remove(signature)
    unsigned = _canonical(root)
    parent.append(signature)
    signature.tail, before.tail = tail, tail_before
    return unsigned


def _check_digest(reference: etree._Element, content: bytes) -> None:
    digest = _DIGESTS.get(_algorithm(reference, "DigestMethod"))
    value = reference.find(f"{_DS}DigestValue")
    if digest is None or value is None or digest(content) != _decoded(value):
        raise SignatureError("the content is not what was signed")


def _certificate(key_info: etree._Element, signed: etree._Element) -> x509.Certificate:
    """Return the certificate that the signed properties name; everything else in KeyInfo must agree with it."""
    embedded = key_info.findall(f"{_DS}X509Data/{_DS}X509Certificate")
    named = signed.find(f"{_XADES}SignedSignatureProperties/{_XADES}SigningCertificate/{_XADES}Cert")
    digested = None if named is None else named.find(f"{_XADES}CertDigest")
    if not embedded or digested is None:
        raise SignatureError("the signature does not name its certificate")
    content, value = _decoded(embedded[0]), digested.find(f"{_DS}DigestValue")
    digest = _CERTIFICATE_DIGESTS.get(_algorithm(digested, "DigestMethod"))
    if digest is None or value is None or digest(content) != _decoded(value):
        raise SignatureError("the certificate is not the one that signed")
    try:
        certificate = x509.load_der_x509_certificate(content)
    except ValueError:
        raise SignatureError("the certificate cannot be read") from None
    _check_key_value(key_info, certificate)
    return certificate


def _check_key_value(key_info: etree._Element, certificate: x509.Certificate) -> None:
    if any(each.tag not in {f"{_DS}X509Data", f"{_DS}KeyValue"} for each in key_info):
        raise SignatureError("the signature names its key in a way that is not allowed")
    numbers = _key(certificate).public_numbers()
    for value in key_info.iterfind(f"{_DS}KeyValue/{_DS}RSAKeyValue"):
        stated = [int.from_bytes(_decoded(each)) for each in value]
        if stated != [numbers.n, numbers.e]:
            raise SignatureError("the key in the signature is not that of its certificate")


def _key(certificate: x509.Certificate) -> RSAPublicKey:
    try:
        key = certificate.public_key()
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, RSAPublicKey) or key.key_size < MIN_KEY_BITS:
        msg = f"the certificate has no RSA key of at least {MIN_KEY_BITS} bits"
        raise SignatureError(msg)
    return key


def _checked_properties(signed: etree._Element, record: etree._Element) -> datetime:
    """Check policy and format against the specification; return the signing time."""
    policy = signed.find(f".//{_XADES}SignaturePolicyId")
    digest = None if policy is None else policy.find(f"{_XADES}SigPolicyHash")
    named = None if policy is None else policy.findtext(f"{_XADES}SigPolicyId/{_XADES}Identifier")
    if digest is None or named != POLICY or digest.findtext(f"{_DS}DigestValue") != POLICY_DIGEST:
        raise SignatureError("the signature does not follow the policy of the state administration")
    described = signed.find(f"{_XADES}SignedDataObjectProperties/{_XADES}DataObjectFormat")
    if described is None or described.get("ObjectReference") != f"#{record.get('Id')}":
        raise SignatureError("the signature does not say what it signs")
    return _moment(signed.findtext(f"{_XADES}SignedSignatureProperties/{_XADES}SigningTime"), "signing time")


def _instant(root: etree._Element) -> datetime:
    """Time of generation that the record states."""
    inside, leaf = _SIGNED[str(root.tag)]
    parent = root if inside is None else root[-1]
    return _moment(parent.findtext(leaf), "time of the record")


def _moment(text: str | None, name: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        moment = None
    if moment is None or moment.utcoffset() is None:
        msg = f"the {name} cannot be read"
        raise SignatureError(msg)
    return moment


def _check_validity(certificate: x509.Certificate, moments: list[datetime]) -> None:
    for moment in moments:
        if moment < certificate.not_valid_before_utc:
            msg = f"the certificate was not valid yet on {moment:%Y-%m-%d}"
            raise SignatureError(msg)
        if moment > certificate.not_valid_after_utc:
            msg = f"the certificate had expired on {moment:%Y-%m-%d}"
            raise SignatureError(msg)


def _check_exact(content: bytes, root: etree._Element, signature: etree._Element) -> None:
    """Check that the bytes are canonical, without white space or attributes where the signature covers nothing."""
    if content.replace(NO_DEFAULT, b"", 1) != _canonical(root) or NO_DEFAULT not in content[: content.find(b">")]:
        raise SignatureError("the bytes are not those that were written")
    info, _, _, holder = signature
    signed = [info, *holder.iter(f"{_XADES}SignedProperties")]
    if any(each.tail for each in signed):
        raise SignatureError("the bytes of the signature are not those that were written")
    covered = {inner for each in signed for inner in each.iter()}
    for each in set(signature.iter()) - covered:
        if set(each.attrib) - _UNSIGNED_ATTRIBUTES.get(str(each.tag), set()) or each.tail or (len(each) and each.text):
            raise SignatureError("the bytes of the signature are not those that were written")
        if not len(each):
            _decoded(each, exact=True)


def _canonical(element: etree._Element) -> bytes:
    try:
        return signing.canonical(element)
    except etree.C14NError:
        raise SignatureError("it has no canonical form") from None


def _algorithm(parent: etree._Element, name: str) -> str:
    element = parent.find(f"{_DS}{name}")
    return "" if element is None or len(element) else element.get("Algorithm", "")


def _decoded(element: etree._Element, *, exact: bool = False) -> bytes:
    """Decode canonical base64; white space is allowed unless `exact`. Raises SignatureError."""
    text = element.text or ""
    joined = text if exact else "".join(text.split())
    try:
        value = b64decode(joined, validate=True)
    except (BadBase64, ValueError):
        value = b""
    if not value or b64encode(value).decode() != joined or len(element):
        msg = f"{etree.QName(element).localname} is not base64"
        raise SignatureError(msg)
    return value
