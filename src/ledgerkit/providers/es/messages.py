"""Ids of the messages about Spain's taxes; their texts stand in Spain's catalogues."""

from pathlib import Path

from ledgerkit.texts import MessageId

TEXTS = Path(__file__).parent / "texts"


class SpainMsg(MessageId, folder=TEXTS):
    NIF_CHECK_CHARACTER = "spain.nif_check_character"
    NIF_LENGTH = "spain.nif_length"
    NIF_ZEROS = "spain.nif_zeros"
    TAX_ID_EMPTY = "spain.tax_id_empty"
    VAT_NUMBER_FORM = "spain.vat_number_form"
    KIND_PASSPORT = "spain.kind_passport"
    KIND_OFFICIAL_ID = "spain.kind_official_id"
    KIND_RESIDENCE_CERTIFICATE = "spain.kind_residence_certificate"
    KIND_OTHER = "spain.kind_other"
    KIND_NOT_REGISTERED = "spain.kind_not_registered"
    DETAIL_IDENTIFIED_RECIPIENT = "spain.detail_identified_recipient"
    DETAIL_WITHOUT_RECIPIENT_ID = "spain.detail_without_recipient_id"
    DETAIL_MARGIN_GOODS = "spain.detail_margin_goods"
    DETAIL_COUPON = "spain.detail_coupon"
    DETAIL_EXTERNAL_REFERENCE = "spain.detail_external_reference"
    DETAIL_INVOICING_AGREEMENT = "spain.detail_invoicing_agreement"
    DETAIL_SYSTEM_AGREEMENT = "spain.detail_system_agreement"
    CORRECTION_R1 = "spain.correction_r1"
    CORRECTION_R2 = "spain.correction_r2"
    CORRECTION_R3 = "spain.correction_r3"
    CORRECTION_R4 = "spain.correction_r4"
    CORRECTION_R5 = "spain.correction_r5"
    SIMPLIFIED_OVER_400 = "spain.simplified_over_400"
    SIMPLIFIED_OVER_3000 = "spain.simplified_over_3000"
    ISSUER_ADDRESS_MISSING = "spain.issuer_address_missing"
    CLIENT_ADDRESS_MISSING = "spain.client_address_missing"
    EXPORT_WITHIN_SPAIN = "spain.export_within_spain"
    ZERO_RATE_WITHIN_SPAIN = "spain.zero_rate_within_spain"
    EU_BUSINESS_TAXED = "spain.eu_business_taxed"
    THIRD_COUNTRY_BUSINESS_TAXED = "spain.third_country_business_taxed"


class TerritoryMsg(MessageId, folder=TEXTS):
    """Names of the territories' tax authorities."""

    AEAT = "territory.aeat"
    ALAVA = "territory.alava"
    GIPUZKOA = "territory.gipuzkoa"
    BIZKAIA = "territory.bizkaia"
    NAVARRA = "territory.navarra"
    CANARIAS = "territory.canarias"
    CEUTA = "territory.ceuta"
    MELILLA = "territory.melilla"


class RegimeMsg(MessageId, folder=TEXTS):
    VERIFACTU = "regimes.verifactu"
    VERIFACTU_EXPLAINED = "regimes.verifactu_explained"
    SII = "regimes.sii"
    SII_EXPLAINED = "regimes.sii_explained"
    SII_DUTY = "regimes.sii_duty"
    FORAL = "regimes.foral"
    FORAL_EXPLAINED = "regimes.foral_explained"
    FORAL_DUTY = "regimes.foral_duty"
    FORAL_PROPOSED = "regimes.foral_proposed"
    TICKETBAI_DUTY = "regimes.ticketbai_duty"
    BATUZ_DUTY = "regimes.batuz_duty"
    NAVARRA_DUTY = "regimes.navarra_duty"
