"""Rules on the client, and on a third party who makes the invoice out."""

from collections.abc import Callable, Iterator
from datetime import date

from ledgerkit.providers.api import IssuedBy, Party, TaxCategory
from ledgerkit.providers.es import tax_ids
from ledgerkit.providers.es.operations import VAT
from ledgerkit.providers.es.verifactu import parties
from ledgerkit.providers.es.verifactu.messages import RulesMsg
from ledgerkit.providers.es.verifactu.parties import Identity
from ledgerkit.providers.es.verifactu.rules.rule import Block, Rule, Values, always, rule, when
from ledgerkit.providers.es.verifactu.rules.subject import Subject, is_nif, named, typed_tax_id
from ledgerkit.providers.es.verifactu.xml import clean
from ledgerkit.texts import MessageId

FIRST_DAY_OF_NORTHERN_IRELAND = date(2021, 1, 1)
NOT_REGISTERED = "not_registered"
VAT_NUMBER_MISSING = "VAT_NUMBER_MISSING"
"""Code of our own: the law demands the number, the authority does not check it."""

_SPANISH_DOCUMENTS = frozenset({None, parties.PASSPORT, parties.NOT_REGISTERED})
_INTRA_EU = frozenset({TaxCategory.INTRA_EU_GOODS, TaxCategory.INTRA_EU_SERVICES})
_LAW_OF_VAT_NUMBERS = "Ley 37/1992, arts. 25.Uno, 26.Tres and 69.Uno.1.º; Directive 2006/112/EC, arts. 138.1.b and 141"


def _wrong_nif(party: Party | None) -> Iterator[Values]:
    """Breach of a Spanish party whose number is no NIF, nor declared as another document."""
    if party is None or party.country != "ES" or party.tax_id_kind is not None or not typed_tax_id(party):
        return
    verdict = tax_ids.check(typed_tax_id(party), "ES")
    if not verdict.valid:
        yield {"reason": verdict.reason}


def _not_registered(party: Party | None) -> bool:
    return party is not None and party.tax_id_kind == NOT_REGISTERED


def _wrong_country_for_its_document(subject: Subject) -> bool:
    client, identity = subject.client, subject.client_id
    if client is None or not typed_tax_id(client):
        return False
    if _not_registered(client):
        return client.country != "ES"
    return identity is not None and identity.country == "ES" and identity.id_type not in _SPANISH_DOCUMENTS


def _is_entity(identity: Identity | None) -> bool:
    if identity is None or identity.id_type != parties.NOT_REGISTERED:
        return False
    return identity.number[0] in tax_ids.ENTITIES


def _too_long(identity: Identity | None) -> bool:
    if identity is None or identity.id_type is None:
        return False
    return not 1 <= len(clean(identity.number, parties.ID_LENGTH + 1)) <= parties.ID_LENGTH


def _misshapen_vat_number(party: Party | None, identity: Identity | None) -> bool:
    """Return True for an identifier with the prefix of its country's VAT numbers, but not their form."""
    if party is None or identity is None or party.tax_id_kind is not None or identity.id_type != parties.OFFICIAL_ID:
        return False
    return tax_ids.written_prefix(typed_tax_id(party)) in {_prefix(party.country)} - {None}


def _vat_number_of_another_state(party: Party | None) -> bool:
    """Return True for a whole VAT number of another member state than the party's."""
    if party is None or party.tax_id_kind is not None or _prefix(party.country) in {None, "ES"}:
        return False
    prefix = tax_ids.written_prefix(typed_tax_id(party))
    country = {"EL": "GR", "XI": "GB"}.get(prefix or "", prefix)
    return country not in {None, party.country} and tax_ids.vat_number(typed_tax_id(party), country or "") is not None


def _prefix(country: str) -> str | None:
    return {"GR": "EL", "GB": "XI"}.get(country, country) if country in {*tax_ids.MEMBER_STATES, "GB"} else None


def _northern_irish_before_its_time(subject: Subject, identity: Identity | None) -> bool:
    is_vat = identity is not None and identity.id_type == parties.VAT_NUMBER and identity.number.startswith("XI")
    return is_vat and subject.day < FIRST_DAY_OF_NORTHERN_IRELAND


def _goods_to_a_nif(subject: Subject) -> bool:
    exempt = any(entry.exemption == "E5" and entry.code == VAT for entry in subject.entries)
    return exempt and bool(subject.nif)


def _lacks_vat_number(subject: Subject) -> bool:
    """Return True when an intra-EU supply lacks its client's VAT number and no other rule covers that client."""
    supplied = any(line.tax_line.category in _INTRA_EU for line in subject.lines)
    if not supplied or _goods_to_a_nif(subject):
        return False
    if not subject.addressed:
        return all(line.detail.exemption != "E5" for line in subject.lines)
    return subject.client_id is not None and subject.client_id.id_type != parties.VAT_NUMBER


def _third(subject: Subject) -> Party | None:
    """Return the third party that makes the invoice out, if one does."""
    return subject.document.third_party if subject.document.issued_by is IssuedBy.THIRD_PARTY else None


def _third_is_unidentified(subject: Subject) -> bool:
    party = _third(subject)
    return party is not None and subject.third_id is None and not _not_registered(party)


def _third_is_spanish_without_passport(subject: Subject) -> bool:
    identity = subject.third_id
    if _third(subject) is None or identity is None or identity.country != "ES":
        return False
    return identity.id_type not in {None, parties.PASSPORT, parties.NOT_REGISTERED}


def _client_rule(
    code: str,
    field: str,
    element: str,
    condition: Callable[[Subject], object],
    message: MessageId | None = None,
    **more: str,
) -> Rule:
    """Make a row about a field of the client and its element of IDDestinatario."""
    place = f"Destinatarios/IDDestinatario/{element}".removesuffix("/")
    return rule(code, f"client.{field}", place, when(condition), message, **more)


def _third_rule(
    code: str, field: str, element: str, condition: Callable[[Subject], object], message: MessageId | None = None
) -> Rule:
    """Make a row about a field of the third party, where one makes the invoice out, and its element of Tercero."""
    place = f"Tercero/{element}".removesuffix("/")
    broken = when(lambda s: _third(s) is not None and condition(s))
    return rule(code, f"thirdParty.{field}", place, broken, message)


_CLIENT: tuple[Rule, ...] = (
    rule(
        "1189",
        "client",
        "Destinatarios",
        when(lambda s: s.addressed and s.document.recipient is None),
        RulesMsg.CLIENT_MISSING,
    ),
    _client_rule(
        "1100",
        "name",
        "NombreRazon",
        lambda s: s.client is not None and not named(s.client),
        RulesMsg.CLIENT_WITHOUT_NAME,
    ),
    _client_rule("1189", "taxId", "", lambda s: s.client is not None and not typed_tax_id(s.client)),
    rule(
        "1123",
        "client.taxId",
        "Destinatarios/IDDestinatario/NIF",
        lambda s: _wrong_nif(s.client),
        RulesMsg.CLIENT_NIF_NOT_VALID,
    ),
)

_NOT_BY_NIF: tuple[Rule, ...] = (
    _client_rule(
        "1290",
        "taxId",
        "IDOtro/ID",
        lambda s: (
            s.client is not None
            and _not_registered(s.client)
            and s.client.country == "ES"
            and typed_tax_id(s.client)
            and not is_nif(typed_tax_id(s.client))
        ),
    ),
    _client_rule("1126", "taxIdKind", "IDOtro/IDType", _wrong_country_for_its_document),
    _client_rule("1131", "taxId", "IDOtro/ID", lambda s: _is_entity(s.client_id)),
    _client_rule("1103", "taxId", "IDOtro/ID", lambda s: _too_long(s.client_id)),
    _client_rule(
        "1103",
        "country",
        "IDOtro/ID",
        lambda s: _misshapen_vat_number(s.client, s.client_id),
        RulesMsg.IDENTIFIER_BEGINS_VAT_NUMBER_COUNTRY,
    ),
    _client_rule(
        "1122",
        "country",
        "IDOtro/CodigoPais",
        lambda s: _vat_number_of_another_state(s.client),
        RulesMsg.IDENTIFIER_VAT_NUMBER_ANOTHER_STATE,
    ),
    _client_rule("1254", "taxId", "IDOtro/ID", lambda s: _northern_irish_before_its_time(s, s.client_id)),
)

_INTRA_EU_SUPPLY: tuple[Rule, ...] = (
    _client_rule("1289", "taxId", "", _goods_to_a_nif),
    _client_rule(
        VAT_NUMBER_MISSING,
        "taxId",
        "IDOtro",
        _lacks_vat_number,
        RulesMsg.INTRA_EU_SUPPLY_NEEDS_CLIENT,
        source=_LAW_OF_VAT_NUMBERS,
    ),
)

_THIRD_PARTY: tuple[Rule, ...] = (
    rule(
        "1186",
        "thirdParty",
        "Tercero",
        when(lambda s: s.document.issued_by is IssuedBy.THIRD_PARTY and s.document.third_party is None),
    ),
    rule(
        "1155",
        "thirdParty",
        "Tercero",
        when(lambda s: s.document.issued_by is IssuedBy.ISSUER and s.document.third_party is not None),
    ),
    rule(
        "1159",
        "thirdParty",
        "Tercero",
        when(lambda s: s.document.issued_by is IssuedBy.RECIPIENT and s.document.third_party is not None),
    ),
    rule(
        "1158",
        "issuedBy",
        "EmitidaPorTerceroODestinatario",
        when(lambda s: s.document.issued_by is IssuedBy.RECIPIENT and not s.addressed),
        RulesMsg.RECIPIENT_ISSUES_SIMPLIFIED_INVOICE_NAMES,
    ),
    _third_rule("1100", "name", "NombreRazon", lambda s: not named(_third(s)), RulesMsg.THIRD_PARTY_UNIDENTIFIED),
    _third_rule("1178", "taxId", "", _third_is_unidentified),
    _third_rule("1211", "taxIdKind", "IDOtro/IDType", lambda s: _not_registered(_third(s))),
    _third_rule("1232", "taxIdKind", "IDOtro/IDType", _third_is_spanish_without_passport),
    _third_rule(
        "1103", "taxId", "IDOtro/ID", lambda s: _too_long(s.third_id), RulesMsg.THIRD_PARTY_IDENTIFIER_LONGER_THAN
    ),
    _third_rule(
        "1156",
        "taxId",
        "IDOtro/IDType",
        lambda s: not s.addressed and _is_vat_number(s.third_id),
        RulesMsg.THIRD_PARTY_WITH_VAT_NUMBER,
    ),
    _third_rule("1254", "taxId", "IDOtro/ID", lambda s: _northern_irish_before_its_time(s, s.third_id)),
    _third_rule(
        "1188",
        "taxId",
        "NIF",
        lambda s: (
            _third(s) is not None
            and s.third_id is not None
            and s.third_id == Identity(number=parties.issuer_nif(s.document.issuer))
        ),
    ),
)


def _is_vat_number(identity: Identity | None) -> bool:
    return identity is not None and identity.id_type == parties.VAT_NUMBER


def _otherwise_identified(subject: Subject) -> bool:
    """Return True when the client is identified by something else than the NIF of a Spanish party."""
    return subject.client is not None and (subject.client.country != "ES" or subject.client.tax_id_kind is not None)


def _made_out_by_another(subject: Subject) -> bool:
    return subject.document.issued_by is not IssuedBy.ISSUER or subject.document.third_party is not None


BLOCKS = (
    Block(always, _CLIENT),
    Block(_otherwise_identified, _NOT_BY_NIF),
    Block(lambda s: not s.is_plain, _INTRA_EU_SUPPLY),
    Block(_made_out_by_another, _THIRD_PARTY),
)
