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
