"""Periods as the tax agency's files write them: `1T` to `4T`, `01` to `12`, and `0A` for a year."""

from ledgerkit.providers.api.tax_forms import YEAR, TaxPeriod, UnreadableFileError

_WHOLE_YEAR = "0A"


def official_period(period: TaxPeriod) -> str:
    """Return the official code of a period: `1T` for `Q1`, `01` for `M01`, `0A` for `Y`."""
    if period.code == YEAR:
        return _WHOLE_YEAR
    return f"{period.code[1]}T" if period.code.startswith("Q") else period.code[1:]


def read_period(year: str, code: str) -> TaxPeriod:
    """Return the period of an official year and code. Raises UnreadableFileError for those that do not exist."""
    periods_by_code = {official_period(period): period for period in _periods(year)}
    if code not in periods_by_code:
        raise UnreadableFileError(f"{year} {code}: no period")
    return periods_by_code[code]


def _periods(year: str) -> list[TaxPeriod]:
    if len(year) != 4 or not (year.isascii() and year.isdigit()) or year < "0001":
        raise UnreadableFileError(f"{year}: no year")
    codes = (YEAR, *(f"Q{number}" for number in range(1, 5)), *(f"M{number:02d}" for number in range(1, 13)))
    return [TaxPeriod(int(year), code) for code in codes]
