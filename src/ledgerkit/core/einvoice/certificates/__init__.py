"""Certificates with which records are sent and signed: an account's own and the operator's."""
