"""Signatures of kept records: by our verifier, by xmlsec1, by signxml; and everything that must not pass."""

from base64 import b64encode
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509.oid import NameOID
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from signxml import DigestAlgorithm, SignatureMethod
from signxml.xades import XAdESSignatureConfiguration, XAdESSignaturePolicy, XAdESVerifier
from spanish_documents import CHANNEL, ISSUER, TODAY, invoice
from spanish_records import issue_fingerprint
from spanish_signatures import (
    AT,
    certificate,
    described,
    kept,
    key,
    numbered,
    place,
    signer,
    unsigned,
    xmlsec1_accepts,
)

from ledgerkit.providers.api import (
    Annulment,
    AuditedRecord,
    AuthorityRequest,
    DocumentRef,
    Environment,
    Heading,
    PastRecord,
    SandboxAccess,
    State,
)
from ledgerkit.providers.es.verifactu.annulment import VerifactuAnnulling
from ledgerkit.providers.es.verifactu.auditing import VerifactuAuditing
from ledgerkit.providers.es.verifactu.channel import VerifactuChannel
from ledgerkit.providers.es.verifactu.settings import VerifactuSettings
from ledgerkit.providers.es.verifactu.signed_mode import keys, signing
from ledgerkit.providers.es.verifactu.signed_mode.signatures import SignatureError, verify, verify_in_place
from ledgerkit.providers.es.verifactu.xml import INFORMATION, NO_DEFAULT, SUBMISSION

DS = "{http://www.w3.org/2000/09/xmldsig#}"
XADES = "{http://uri.etsi.org/01903/v1.3.2#}"
SF = f"{{{INFORMATION}}}"
REQUEST = Heading(issuer=ISSUER, request=AuthorityRequest(reference="REQ1", last=True))


@pytest.fixture
def sample(shared):
    """The AEAT's own signed record."""
    return (shared / "spain/verifactu-examples/signed/ejemploRegistro-firmado-epes-xades4j.xml").read_bytes()


def annulled(channel=CHANNEL):
    wish = Annulment(issuer=ISSUER, document=DocumentRef(number="F2026-0001", issue_date=TODAY))
    past = [PastRecord(kind="issue", state=State.SIGNED, reported=False)]
    return channel.annuls.seal(wish, place(signer=signer()), past)


def refused(content: bytes, *, exact: bool = False) -> str:
    with pytest.raises(SignatureError) as failure:
        verify(content, exact=exact)
    return str(failure.value)


def signed_anew(content: bytes, **changes: tuple[bytes, bytes]) -> bytes:
    """The record with its signature's own words changed, and the value of the signature made anew over them."""
    root = etree.fromstring(content.replace(*changes["text"], 1))
    info = root.find(f"{DS}Signature/{DS}SignedInfo")
    value = b64encode(signer().sign(signing.canonical(info))).decode()
    root.find(f"{DS}Signature/{DS}SignatureValue").text = value
    return etree.tostring(root)


def remade(root: etree._Element) -> bytes:
    """The record with both digests and the value of its signature made anew: whoever has the key can."""
    signature = next(root.iter(f"{DS}Signature"))
    record, properties = signature.iter(f"{DS}Reference")
    bare = deepcopy(root)
    bare.remove(bare.find(f"{DS}Signature"))
    _digested(record, signing.canonical(bare))
    _digested(properties, signing.canonical(next(signature.iter(f"{XADES}SignedProperties"))))
    value = signer().sign(signing.canonical(signature.find(f"{DS}SignedInfo")))
    signature.find(f"{DS}SignatureValue").text = b64encode(value).decode()
    return etree.tostring(root)


def _digested(reference: etree._Element, content: bytes) -> None:
    reference.find(f"{DS}DigestValue").text = b64encode(sha256(content).digest()).decode()


# ---------------------------------------------------------------- what holds


@pytest.mark.parametrize("text", ["plain", "ñandú & <b>'\"]]>", "\U0001f9fe" * 100], ids=["plain", "markup", "long"])
def test_a_kept_record_verifies_by_us_by_xmlsec1_and_by_signxml(tmp_path, text):
    record = kept(described(text))

    held = verify(record.content, exact=True)

    assert (held.certificate, held.signed_at) == (certificate(), AT)
    assert xmlsec1_accepts(record.content, tmp_path)
    assert next(iter(by_signxml(record.content))).signed_xml.tag == f"{SF}RegistroAlta"


def by_signxml(content: bytes):
    config = XAdESSignatureConfiguration(
        expect_references=2,
        signature_methods=frozenset({SignatureMethod.RSA_SHA256}),
        digest_algorithms=frozenset({DigestAlgorithm.SHA256}),
        verification_time=AT,
    )
    policy = XAdESSignaturePolicy(
        Identifier=signing.POLICY,
        Description="",
        DigestMethod=DigestAlgorithm.SHA1,
        DigestValue=signing.POLICY_DIGEST,
    )
    return XAdESVerifier().verify(
        content, x509_cert=certificate(), expect_signature_policy=policy, expect_config=config
    )


def test_the_tax_agencys_own_signed_sample_verifies_by_us_and_by_xmlsec1(tmp_path, sample):
    held = verify(sample)

    assert "89890001K" in held.certificate.subject.rfc4514_string()
    assert xmlsec1_accepts(sample, tmp_path)


def test_an_annulment_is_signed_too(tmp_path):
    record = annulled()

    verify(record.content, exact=True)

    assert xmlsec1_accepts(record.content, tmp_path)


def test_a_kept_record_keeps_to_the_official_schema(valid):
    submission = valid(kept(), annulled())

    assert len(list(submission.iter(f"{DS}Signature"))) == 2


def test_the_signature_is_the_last_element_and_the_fingerprint_knows_nothing_of_it():
    record, plain = kept(), unsigned()

    root = etree.fromstring(record.content)
    assert root[-1].tag == f"{DS}Signature"
    assert record.fingerprint == plain.fingerprint == issue_fingerprint(root)


def test_the_record_under_the_signature_is_the_one_that_would_have_been_sent():
    record, plain = kept().content, unsigned().content

    before, after = record[: record.index(b"<ds:Signature ")], record[record.index(b"</ds:Signature>") + 15 :]
    assert (before + after).replace(NO_DEFAULT, b"", 1) == plain


def test_the_signature_follows_the_specification_to_the_letter():
    root = etree.fromstring(kept().content)
    first, second = root.iter(f"{DS}Reference")

    assert first.get("URI") == ""
    assert [one.get("Algorithm") for one in first.iter(f"{DS}Transform")] == [signing.ENVELOPED, signing.C14N]
    assert second.get("Type") == "http://uri.etsi.org/01903#SignedProperties"
    assert [one.get("Algorithm") for one in second.iter(f"{DS}Transform")] == [signing.C14N]
    assert {one.get("Algorithm") for one in root.iter(f"{DS}SignatureMethod")} == {signing.RSA_SHA256}
    (key,) = root.iter(f"{DS}KeyInfo")
    assert [etree.QName(one).localname for one in key] == ["X509Data", "KeyValue"]
    said = {etree.QName(one).localname: one.text for one in root.iter("{http://uri.etsi.org/01903/v1.3.2#}*")}
    assert said["SPURI"] == "https://sede.administracion.gob.es/politica_de_firma_anexo_1.pdf"
    assert (said["MimeType"], said["Encoding"]) == ("text/xml", "UTF-8")
    identifiers = [one.text for one in root.iter("{http://uri.etsi.org/01903/v1.3.2#}Identifier")]
    assert identifiers == ["urn:oid:2.16.724.1.3.1.1.2.1.9", "urn:oid:1.2.840.10003.5.109.10"]
    digests = [one.text for one in root.iter(f"{DS}DigestValue")]
    assert digests[2:] == [b64encode(sha256(signer().certificate).digest()).decode(), "G7roucf600+f03r/o0bAOQ6WAs0="]


@given(st.text(max_size=60), st.text(max_size=60))
@settings(max_examples=20, deadline=None)
def test_any_record_that_can_be_made_can_be_signed(name, text):
    document = invoice(issuer=replace(ISSUER, name=f"A{name}"), description=f"D{text}")

    verify(kept(document).content, exact=True)


# ---------------------------------------------------------------- what does not


def test_any_changed_byte_is_found():
    content = kept().content

    missed = [position for position in range(0, len(content), 3) if holds(flipped(content, position))]

    assert missed == []


def flipped(content: bytes, position: int) -> bytes:
    return content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]


def holds(content: bytes) -> bool:
    try:
        verify(content, exact=True)
    except SignatureError:
        return False
    return True


@pytest.mark.parametrize("added", [b" ", b"\n", b"<!-- -->", b"<?x?>", b"&#10;"])
def test_any_byte_more_is_found(added):
    content = kept().content
    ends = [index + 1 for index, one in enumerate(content) if one == ord(">")]

    missed = [end for end in ends if holds(content[:end] + added + content[end:])]

    assert missed == []


def test_a_record_of_another_system_is_judged_by_what_it_says_not_by_its_white_space(sample):
    verify(sample.replace(b"<ds:KeyInfo>", b"<ds:KeyInfo>\n"))

    assert "content" in refused(sample.replace(b"<sum1:ImporteTotal>241.4<", b"<sum1:ImporteTotal>141.4<"))


TRICKS = {
    "another fragment": (b'URI=""', b'URI="#other"'),
    "no enveloped transform": (b"xmldsig#enveloped-signature", b"xmldsig#base64"),
    "an XPath transform": (b"xmldsig#enveloped-signature", b"1999/REC-xpath-19991116"),
    "a weak digest": (b"2001/04/xmlenc#sha256", b"2000/09/xmldsig#sha1"),
    "exclusive form": (b"http://www.w3.org/TR/2001/REC-xml-c14n-20010315", b"http://www.w3.org/2001/10/xml-exc-c14n#"),
    "another method": (b"xmldsig-more#rsa-sha256", b"xmldsig-more#hmac-sha256"),
    "no type": (b' Type="http://uri.etsi.org/01903#SignedProperties"', b""),
}


@pytest.mark.parametrize("text", TRICKS.values(), ids=TRICKS)
def test_a_signature_over_something_else_is_refused_even_with_the_right_key(text):
    assert "not" in refused(signed_anew(kept().content, text=text))


def test_a_signature_made_anew_over_the_same_words_holds():
    verify(remade(etree.fromstring(kept().content)))


FORGERIES = {
    "another policy": (f"{XADES}SigPolicyId/{XADES}Identifier", "text", "urn:oid:2.16.724.1.3.1.1.2.1.8", "policy"),
    "another text of the policy": (f"{XADES}SigPolicyHash/{DS}DigestValue", "text", "AAAA", "policy"),
    "another object": (f"{XADES}DataObjectFormat", "ObjectReference", "#other", "what it signs"),
    "properties of another signature": (f"{XADES}QualifyingProperties", "Target", "#other", "another signature"),
    "a transform with parameters": (f"{DS}Transform", "text", "not(ancestor)", "parameters"),
    "no time of signing": (f"{XADES}SigningTime", "text", "yesterday", "signing time"),
}


@pytest.mark.parametrize(("path", "part", "value", "why"), FORGERIES.values(), ids=FORGERIES)
def test_a_signature_without_a_required_property_is_refused_even_with_the_right_key(path, part, value, why):
    root = etree.fromstring(kept().content)
    found = root.find(f".//{path}")
    if part == "text":
        found.text = value
    else:
        found.set(part, value)

    assert why in refused(remade(root))


@pytest.mark.parametrize(
    ("path", "moment", "why"),
    [
        (f".//{XADES}SigningTime", AT + timedelta(days=400), "expired"),
        (f"{SF}FechaHoraHusoGenRegistro", AT - timedelta(days=2), "not valid yet"),
    ],
)
def test_the_certificate_must_be_valid_at_both_times_that_a_record_names(path, moment, why):
    root = etree.fromstring(kept().content)
    root.find(path).text = moment.isoformat()

    assert why in refused(remade(root))


def test_a_signature_that_is_not_last_is_refused_even_with_the_right_key():
    root = etree.fromstring(kept().content)
    root.insert(len(root) - 2, root[-1])

    assert "not the last element" in refused(remade(root))


def test_a_certificate_whose_key_is_not_rsa_is_refused():
    root = etree.fromstring(kept().content)
    named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Elliptic")])
    curve = ec.generate_private_key(ec.SECP256R1())
    made = x509.CertificateBuilder().subject_name(named).issuer_name(named).public_key(curve.public_key())
    made = made.serial_number(1).not_valid_before(AT - timedelta(days=1)).not_valid_after(AT + timedelta(days=1))
    content = made.sign(curve, SHA256()).public_bytes(Encoding.DER)
    root.find(f".//{DS}X509Certificate").text = b64encode(content).decode()
    digest = root.find(f".//{XADES}CertDigest/{DS}DigestValue")
    digest.text = b64encode(sha256(content).digest()).decode()

    assert "no RSA key" in refused(remade(root))


def test_a_signed_record_hidden_beside_a_forged_one_is_refused():
    """Signature wrapping: the genuine record is moved away, and another put in its place."""
    genuine = etree.fromstring(kept().content)
    forged = etree.fromstring(unsigned(described("forged")).content)
    signature = genuine.find(f"{DS}Signature")
    holder = etree.SubElement(signature, f"{DS}Object")
    forged.append(signature)
    holder.append(genuine)

    assert refused(etree.tostring(forged))


def test_two_signatures_are_refused():
    root = etree.fromstring(kept().content)
    root.append(etree.fromstring(etree.tostring(root[-1])))

    assert "2 signatures" in refused(etree.tostring(root))


def test_properties_with_the_same_id_elsewhere_are_refused():
    root = etree.fromstring(kept().content)
    name = next(root.iter("{http://uri.etsi.org/01903/v1.3.2#}SignedProperties")).get("Id")
    root[0].set("Id", name)

    assert "other properties than its own" in refused(remade(root))


def test_another_certificate_of_the_same_key_is_refused():
    other = certificate(name="Somebody else")
    content = kept().content
    held = b64encode(signer().certificate)

    assert "not the one that signed" in refused(content.replace(held, b64encode(other.public_bytes(Encoding.DER))))


def test_an_unsigned_record_and_a_document_type_are_refused():
    assert "0 signatures" in refused(unsigned().content)
    assert "document type" in refused(b"<!DOCTYPE a [<!ENTITY b 'c'>]>" + kept().content)


@pytest.mark.parametrize(
    ("validity", "why"),
    [
        ({"since": AT - timedelta(days=9), "until": AT - timedelta(seconds=1)}, "expired"),
        ({"since": AT + timedelta(seconds=1), "until": AT + timedelta(days=9)}, "not valid yet"),
    ],
)
def test_the_certificate_must_be_valid_when_the_record_is_made(validity, why):
    record = kept(signer=signer(**validity))

    assert why in refused(record.content)


def test_a_certificate_that_has_expired_since_takes_nothing_back():
    record = kept(signer=signer(until=AT + timedelta(seconds=1)))

    assert verify(record.content, exact=True).signed_at == AT


def test_an_audit_of_stored_records_finds_a_signature_that_does_not_hold():
    record = kept()
    changed = record.content.replace(b"Consultor", b"Consultar", 1)

    assert anomalies(CHANNEL, record, record.content) == set()
    assert anomalies(CHANNEL, record, changed) == {("signature", "02")}


def anomalies(channel, record, content):
    """Kind and code of what an audit finds where `content` is stored as the bytes of `record`."""
    stored = AuditedRecord(
        installation="0" * 32,
        position=1,
        kind="issue",
        issuer_tax_id=record.issuer_tax_id,
        number=record.number,
        issue_date=record.issue_date,
        content=content,
        fingerprint=record.fingerprint,
        generated_at=record.generated_at,
    )
    return {(one.kind, one.code) for one in channel.audits.audit([stored], None, AT)}


# ---------------------------------------------------------------- without the signed mode


@pytest.fixture
def reporting_channel():
    """The channel as it is when the folder of the signed mode was taken out."""
    made = VerifactuChannel(VerifactuSettings(_env_file=None))
    made.signs, made.annuls, made.audits = None, VerifactuAnnulling(made._software, None), VerifactuAuditing(None)
    return made


def test_a_channel_without_the_signed_mode_makes_the_same_records_and_none_that_is_to_be_signed(reporting_channel):
    assert reporting_channel.seal(invoice(), place()) == unsigned()
    with pytest.raises(ValueError, match="without the signed mode"):
        reporting_channel.seal(invoice(), place(signer=signer()))
    with pytest.raises(ValueError, match="without the signed mode"):
        annulled(reporting_channel)


def test_an_audit_without_the_signed_mode_says_of_a_signature_that_it_was_not_checked(reporting_channel):
    signed, reported = kept(), unsigned()

    assert anomalies(reporting_channel, signed, signed.content) == {("signature", "02")}
    assert anomalies(reporting_channel, reported, reported.content) == set()


# ---------------------------------------------------------------- in a message


def test_each_signature_holds_where_it_stands_in_an_answer_to_a_demand(tmp_path):
    records = [kept(numbered(ordinal)) for ordinal in (1, 2, 3)]

    message = CHANNEL.message(REQUEST, [record.content for record in records])

    inside = list(etree.fromstring(message).iter(f"{SF}RegistroAlta"))
    assert len(inside) == 3
    for record, element in zip(records, inside, strict=True):
        assert message.count(record.content) == 1
        assert verify_in_place(element).signed_at == AT
        assert xmlsec1_accepts(signing.canonical(element), tmp_path)


def test_what_is_declared_around_a_record_would_break_its_signature(tmp_path):
    """Answers to demands have an envelope of their own, because the usual one declares prefixes."""
    message = CHANNEL.message(Heading(issuer=ISSUER), [kept().content])

    (element,) = etree.fromstring(message).iter(f"{SF}RegistroAlta")
    with pytest.raises(SignatureError):
        verify_in_place(element)
    assert not xmlsec1_accepts(signing.canonical(element), tmp_path)


def test_an_answer_to_a_demand_keeps_to_the_official_schema(shared):
    schemas = shared / "spain" / "verifactu-schemas"
    schema = etree.XMLSchema(etree.parse(schemas / "SuministroLR.xsd", etree.XMLParser(no_network=True)))
    message = CHANNEL.message(REQUEST, [kept().content, annulled().content])

    (submission,) = etree.fromstring(message).iter(f"{{{SUBMISSION}}}RegFactuSistemaFacturacion")

    schema.assertValid(submission)
    assert submission.findtext(f".//{SF}RefRequerimiento") == "REQ1"
    assert submission.findtext(f".//{SF}FinRequerimiento") == "S"


# ---------------------------------------------------------------- keys


def test_what_cannot_be_signed_is_refused_before_anything_is_stored():
    with pytest.raises(ValueError, match="canonical form"):
        signing.sign(b"<a xmlns='urn:a'/>", signer(), AT)


@pytest.mark.parametrize("password", [None, "secreta ñ"])
def test_a_key_is_read_from_pem_and_from_pkcs12(tmp_path, password):
    secret = BestAvailableEncryption(password.encode()) if password else NoEncryption()
    pem = certificate().public_bytes(Encoding.PEM) + key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, secret)
    p12 = serialize_key_and_certificates(b"ana", key(), certificate(), None, secret)

    assert {keys.signer(content, password).certificate for content in (pem, p12)} == {signer().certificate}


def test_a_key_that_cannot_sign_records_says_why():
    curve = ec.generate_private_key(ec.SECP256R1())
    pem = curve.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    short = key(1024).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    for content, why in [(pem, "RSA"), (short, "1024 bits"), (b"rubbish", ".")]:
        with pytest.raises(ValueError, match=why):
            keys.signer(content + certificate().public_bytes(Encoding.PEM), None)


def channel(**fields):
    given = VerifactuSettings(_env_file=None, **fields)
    return VerifactuChannel(given, SandboxAccess(url="https://x", ca_file=None, certificate_file=None))


def test_keeping_is_offered_only_where_the_operator_switched_it_on():
    (problem,) = channel().signs.ready(Environment.SANDBOX)

    assert problem.field == "LEDGERKIT_VERIFACTU_SIGNED_MODE"


def test_keeping_wants_a_certificate_that_can_sign():
    (problem,) = channel(signed_mode="on").signs.ready(Environment.TEST)

    assert (problem.field, problem.message) == (
        "LEDGERKIT_VERIFACTU_CERT_FILE",
        "no record can be signed: no certificate is set",
    )


@pytest.mark.parametrize(("signed_mode", "only"), [("off", "S"), ("on", "N")])
def test_every_record_says_whether_the_product_can_only_report(signed_mode, only):
    record = channel(signed_mode=signed_mode).seal(invoice(), place())

    assert etree.fromstring(record.content).findtext(f".//{SF}TipoUsoPosibleSoloVerifactu") == only


def test_the_qr_of_a_kept_record_names_the_other_service_and_its_paper_does_not_say_verifactu():
    record, sent = kept(), unsigned()

    assert record.qr_url == sent.qr_url.replace("/ValidarQR?", "/ValidarQRNoVerifactu?")
    assert CHANNEL.qr_block(record.qr_url).below is None
    assert CHANNEL.qr_block(sent.qr_url).below == CHANNEL.qr_block().below == "VERI*FACTU"
