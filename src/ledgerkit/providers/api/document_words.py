"""The fixed words of documents, of their public pages and of the mails that bring them: by key, in English.

A country gives the same keys in further languages (`CountryProvider.words`); what it leaves out is said in English.
The keys `tax.X` name the country's other taxes X; they are its own, and without one the tax is called by its key.
`locale` is the CLDR locale of numbers, dates and the names of countries, `date` a CLDR pattern of days. What stands
in braces is filled in.
"""

from pathlib import Path

from ledgerkit.texts import ENGLISH, Catalogue

ENGLISH_WORDS = Catalogue(Path(__file__).parent / "words", ENGLISH, prefix="words.")
