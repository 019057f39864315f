"""Reports."""

from support.scenes.ask import EVERYBODY, READERS_OF_FIGURES, Ask, Failing

ASKS: dict[str, Ask] = {
    "GET /api/reports/overview": Ask(allowed=EVERYBODY),
    "GET /api/reports/receivables": Ask(query={"overdueDays": 30}, allowed=READERS_OF_FIGURES),
    "GET /api/reports/receivables/clients": Ask(query={"limit": 10}, allowed=READERS_OF_FIGURES),
    "GET /api/reports/receivables/invoices": Ask(query={"overdueDays": 1}, allowed=EVERYBODY),
    "GET /api/expenses/profit-loss": Ask(query={"from": "2026-01-01", "to": "2026-12-31"}, allowed=READERS_OF_FIGURES),
    "GET /api/expenses/tax-summary": Ask(query={"year": 2026, "quarter": 4}, allowed=READERS_OF_FIGURES),
    "GET /api/expenses/cashflow": Ask(query={"opening": 100}, allowed=READERS_OF_FIGURES),
    "GET /api/expenses/vat-balance": Ask(query={"year": 2026, "quarter": 4}, allowed=READERS_OF_FIGURES),
    "GET /api/expenses/income-summary": Ask(allowed=READERS_OF_FIGURES),
}

FAILURES: dict[tuple[str, int], Failing] = {}
