"""Categories of expenses: proposed by a model or learned."""
