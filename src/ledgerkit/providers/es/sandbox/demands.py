"""Service for answers to demands (RequerimientoSOAP): signed records that were kept, shown but not registered.

Signatures are checked with signxml, apart from ledgerkit's own verifier. The record is taken out of the message as it
stands there, so that what the message declares around it counts.
Source: AEAT, web service description 1.0.3; signature specification 0.1.5.
"""

from base64 import b64decode
from datetime import date, datetime

from cryptography import x509
from lxml import etree
from signxml.algorithms import DigestAlgorithm, SignatureMethod
from signxml.exceptions import SignXMLException
from signxml.xades.xades import XAdESSignatureConfiguration, XAdESVerifier

from ledgerkit.providers.es.sandbox.answers import Result
from ledgerkit.providers.es.sandbox.messages import Submission, SubmissionError
from ledgerkit.providers.es.sandbox.reading import message, parse, submission
from ledgerkit.providers.es.sandbox.structure import HEADER, LR, SF, SIGNATURE, require

LONGEST_REFERENCE = 18
BAD_SIGNATURE = 1100
"""Code for a signature that does not hold: the sandbox's choice, since the authority publishes none."""


def read(body: bytes, today: date) -> tuple[Submission, list[etree._Element]]:
    """The answer to a demand in `body`, and the elements of its records. Raises SubmissionError."""
    root = message(parse(body))
    header = root.find(LR + "Cabecera")
    if header is None:
        raise SubmissionError(4102, "Cabecera")
    require(header, HEADER)
    demand = header.find(SF + "RemisionRequerimiento")
    _check(demand, header)
    header.remove(demand)  # type: ignore[arg-type] # checked in the line above
    return submission(root, today), [wrapper[0] for wrapper in root.iterfind(LR + "RegistroFactura")]


def _check(demand: etree._Element | None, header: etree._Element) -> None:
    if header.find(SF + "RemisionVoluntaria") is not None:
        raise SubmissionError(4127)
    reference = "" if demand is None else (demand.findtext(SF + "RefRequerimiento") or "").strip()
    if not reference:
        raise SubmissionError(4125)
    if not (reference.isascii() and reference.isalnum()):
        raise SubmissionError(4133)
    if len(reference) > LONGEST_REFERENCE:
        raise SubmissionError(4122)
    if demand is not None and demand.findtext(SF + "FinRequerimiento") not in {None, "S", "N"}:
        raise SubmissionError(4131)


def judge(read_message: Submission, elements: list[etree._Element]) -> list[Result]:
    """Judge each record by its signature alone: its content was checked when it was made, and is not corrected now."""
    return [
        Result(record=record, code=None if is_signed(element) else BAD_SIGNATURE)
        for record, element in zip(read_message.records, elements, strict=True)
    ]


def is_signed(element: etree._Element) -> bool:
    """Return True when the one signature of a record, last in it, holds in the record's place."""
    signature = element.find(SIGNATURE)
    if signature is None or signature is not element[-1]:
        return False
    try:
        alone = etree.fromstring(etree.tostring(element, method="c14n"))
        certificate = x509.load_der_x509_certificate(b64decode(_text(signature, "X509Certificate")))
        generated_at = datetime.fromisoformat(element.findtext(SF + "FechaHoraHusoGenRegistro") or "")
        config = XAdESSignatureConfiguration(
            expect_references=2,
            signature_methods=frozenset({SignatureMethod.RSA_SHA256, SignatureMethod.RSA_SHA512}),
            digest_algorithms=frozenset({DigestAlgorithm.SHA256, DigestAlgorithm.SHA512}),
            verification_time=generated_at,
        )
        covered = XAdESVerifier().verify(alone, x509_cert=certificate, expect_config=config)
    except (SignXMLException, ValueError, etree.LxmlError):
        return False
    first = covered[0].signed_xml
    return first is not None and first.tag == element.tag


def _text(signature: etree._Element, name: str) -> str:
    return next((each.text or "" for each in signature.iter(SIGNATURE.replace("Signature", name))), "")
