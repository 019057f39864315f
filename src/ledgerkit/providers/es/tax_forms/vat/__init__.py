"""Forms of the VAT: 303 of each quarter or month, and 390 of the year, from the same rows of the record books."""
