"""Approvals: operations that somebody proposes and a person of the account agrees to before they are done."""
