"""Business context: facts about a business for its AI assistant."""
