"""References of expenses to other received documents."""
