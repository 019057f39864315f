"""Shape of the balance of AI actions, where -1 means unlimited."""

from ledgerkit.core.api_types.wire import Timestamp, Wire


class TokenBalance(Wire):
    monthly_limit: int
    monthly_used: int
    monthly_remaining: int
    purchased: int
    total: int
    resets_at: Timestamp
