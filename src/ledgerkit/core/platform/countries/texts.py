"""Ids of the messages about countries; their texts are in the catalogues."""

from ledgerkit.texts import MessageId


class CountriesMsg(MessageId):
    NOT_INSTALLED = "countries.not_installed"
