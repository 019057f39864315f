"""Keys and applications of an account's members that have a rule of approvals."""
