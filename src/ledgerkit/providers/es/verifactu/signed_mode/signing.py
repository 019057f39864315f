"""XAdES-EPES: sign a record or event; the signature is written once and never serialised again.

Enveloped, under the signature policy of the Spanish state administration (AGE). Signed content is written in canonical
form, so that its bytes are the ones digested; see docs/adr/0015.
Source: AEAT, signature specification 0.1.5 (06/03/2025); ETSI TS 101 903 v1.3.2; AGE signature policy 1.9.
"""

from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from lxml import etree

from ledgerkit.providers.api import Signer
from ledgerkit.providers.es.verifactu.xml import NO_DEFAULT, escaped

DS = "http://www.w3.org/2000/09/xmldsig#"
XADES = "http://uri.etsi.org/01903/v1.3.2#"
C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
SHA1 = "http://www.w3.org/2000/09/xmldsig#sha1"
SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256"
SIGNED_PROPERTIES = "http://uri.etsi.org/01903#SignedProperties"

POLICY = "urn:oid:2.16.724.1.3.1.1.2.1.9"
POLICY_DIGEST = "G7roucf600+f03r/o0bAOQ6WAs0="
POLICY_URL = "https://sede.administracion.gob.es/politica_de_firma_anexo_1.pdf"
"""The policy's published digest is SHA-1; nothing else here is."""

XML_FORMAT = "urn:oid:1.2.840.10003.5.109.10"


@dataclass(frozen=True)
class _Place:
    """Place of a signature: prefix and namespace of the document, and the closing tags after the signature."""

    prefix: str
    namespace: str
    closing: bytes


@dataclass(frozen=True)
class _Certificate:
    """The parts of a certificate that a signature contains, as text."""

    content: str
    digest: str
    issuer: str
    serial: int
    modulus: str
    exponent: str


def sign(content: bytes, signer: Signer, at: datetime, *, inside: str | None = None) -> bytes:
    """Return `content` with its signature as the last child of the root, or of the root's last child `inside`.

    `content` is a document in canonical form whose root declares its only prefix and, with `xmlns=""`, no default
    namespace: inside any message its canonical form stays the same. `at` is the signing time, with its UTC offset.
    Raises ValueError for other content, and for a key that is not RSA.
    """
    place = _place(content, inside)
    body = _digest(content.replace(NO_DEFAULT, b"", 1))
    name = f"S{sha256(content).hexdigest()[:32]}"
    certificate = _described(signer.certificate)
    properties = _properties(name, certificate, at)
    info = _info(name, body, _digest(_apex(properties, place, "xades").encode()))
    value = b64encode(signer.sign(_apex(info, place, "ds").encode())).decode()
    signature = _signature(name, info, value, certificate, properties)
    return content[: -len(place.closing)] + signature.encode() + place.closing


def canonical(element: etree._Element) -> bytes:
    """Return the canonical XML 1.0 of an element, without comments, with the namespaces that it inherits."""
    canonical_xml: bytes = etree.tostring(element, method="c14n", with_comments=False)
    return canonical_xml


def _place(content: bytes, inside: str | None) -> _Place:
    root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    prefix, namespace = root.prefix or "", etree.QName(root).namespace or ""
    root_name = etree.QName(root).localname
    names = [root_name] if inside is None else [inside, root_name]
    closing = "".join(f"</{prefix}:{name}>" for name in names).encode()
    if content.replace(NO_DEFAULT, b"", 1) != canonical(root) or NO_DEFAULT not in content[: content.find(b">")]:
        msg = 'only a document in canonical form, with xmlns="" on its root, can be signed'
        raise ValueError(msg)
    if {name: uri for name, uri in root.nsmap.items() if uri} != {prefix: namespace}:
        msg = f"the root of a signed document declares one prefix, not {root.nsmap}"
        raise ValueError(msg)
    if not content.endswith(closing):
        msg = f"the document does not end with {closing.decode()}"
        raise ValueError(msg)
    return _Place(prefix, namespace, closing)


def _apex(element: str, place: _Place, prefix: str) -> str:
    """Canonical form of an element with this prefix as a root: with all namespaces in scope, ordered by prefix."""
    declared = {"ds": DS, place.prefix: place.namespace} | ({"xades": XADES} if prefix == "xades" else {})
    namespaces = "".join(f' xmlns:{name}="{declared[name]}"' for name in sorted(declared))
    end = min(element.index(" ") if " " in element else len(element), element.index(">"))
    return element[:end] + namespaces + element[end:]


@lru_cache(maxsize=64)
def _described(der: bytes) -> _Certificate:
    certificate = x509.load_der_x509_certificate(der)
    key = certificate.public_key()
    if not isinstance(key, RSAPublicKey):
        msg = "records are signed with an RSA key, and this certificate has none"
        raise ValueError(msg)  # noqa: TRY004 - the certificate's content is wrong, not an argument's type
    numbers = key.public_numbers()
    return _Certificate(
        content=b64encode(der).decode(),
        digest=_digest(der),
        issuer=escaped(certificate.issuer.rfc4514_string()),
        serial=certificate.serial_number,
        modulus=_number(numbers.n),
        exponent=_number(numbers.e),
    )


def _info(name: str, body: str, properties: str) -> str:
    return (
        "<ds:SignedInfo>"
        f'<ds:CanonicalizationMethod Algorithm="{C14N}"></ds:CanonicalizationMethod>'
        f'<ds:SignatureMethod Algorithm="{RSA_SHA256}"></ds:SignatureMethod>'
        f'<ds:Reference Id="{name}-record" URI=""><ds:Transforms>'
        f'<ds:Transform Algorithm="{ENVELOPED}"></ds:Transform><ds:Transform Algorithm="{C14N}"></ds:Transform>'
        f"</ds:Transforms>{_digested(SHA256, body)}</ds:Reference>"
        f'<ds:Reference Type="{SIGNED_PROPERTIES}" URI="#{name}-properties"><ds:Transforms>'
        f'<ds:Transform Algorithm="{C14N}"></ds:Transform></ds:Transforms>{_digested(SHA256, properties)}'
        "</ds:Reference></ds:SignedInfo>"
    )


def _properties(name: str, certificate: _Certificate, at: datetime) -> str:
    return (
        f'<xades:SignedProperties Id="{name}-properties"><xades:SignedSignatureProperties>'
        f"<xades:SigningTime>{at.isoformat(timespec='seconds')}</xades:SigningTime>"
        "<xades:SigningCertificate><xades:Cert>"
        f"<xades:CertDigest>{_digested(SHA256, certificate.digest)}</xades:CertDigest>"
        f"<xades:IssuerSerial><ds:X509IssuerName>{certificate.issuer}</ds:X509IssuerName>"
        f"<ds:X509SerialNumber>{certificate.serial}</ds:X509SerialNumber></xades:IssuerSerial>"
        "</xades:Cert></xades:SigningCertificate>"
        "<xades:SignaturePolicyIdentifier><xades:SignaturePolicyId>"
        f"<xades:SigPolicyId><xades:Identifier>{POLICY}</xades:Identifier></xades:SigPolicyId>"
        f"<xades:SigPolicyHash>{_digested(SHA1, POLICY_DIGEST)}</xades:SigPolicyHash>"
        f"<xades:SigPolicyQualifiers><xades:SigPolicyQualifier><xades:SPURI>{POLICY_URL}</xades:SPURI>"
        "</xades:SigPolicyQualifier></xades:SigPolicyQualifiers>"
        "</xades:SignaturePolicyId></xades:SignaturePolicyIdentifier></xades:SignedSignatureProperties>"
        f'<xades:SignedDataObjectProperties><xades:DataObjectFormat ObjectReference="#{name}-record">'
        f"<xades:ObjectIdentifier><xades:Identifier>{XML_FORMAT}</xades:Identifier></xades:ObjectIdentifier>"
        "<xades:MimeType>text/xml</xades:MimeType><xades:Encoding>UTF-8</xades:Encoding>"
        "</xades:DataObjectFormat></xades:SignedDataObjectProperties></xades:SignedProperties>"
    )


def _signature(name: str, info: str, value: str, certificate: _Certificate, properties: str) -> str:
    return (
        f'<ds:Signature xmlns:ds="{DS}" Id="{name}">{info}<ds:SignatureValue>{value}</ds:SignatureValue>'
        f"<ds:KeyInfo><ds:X509Data><ds:X509Certificate>{certificate.content}</ds:X509Certificate></ds:X509Data>"
        f"<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>{certificate.modulus}</ds:Modulus>"
        f"<ds:Exponent>{certificate.exponent}</ds:Exponent></ds:RSAKeyValue></ds:KeyValue></ds:KeyInfo>"
        f'<ds:Object><xades:QualifyingProperties xmlns:xades="{XADES}" Target="#{name}">{properties}'
        "</xades:QualifyingProperties></ds:Object></ds:Signature>"
    )


def _digested(algorithm: str, value: str) -> str:
    return f'<ds:DigestMethod Algorithm="{algorithm}"></ds:DigestMethod><ds:DigestValue>{value}</ds:DigestValue>'


def _digest(content: bytes) -> str:
    return b64encode(sha256(content).digest()).decode()


def _number(value: int) -> str:
    """ds:CryptoBinary: big-endian without leading zeros."""
    return b64encode(value.to_bytes((value.bit_length() + 7) // 8)).decode()
