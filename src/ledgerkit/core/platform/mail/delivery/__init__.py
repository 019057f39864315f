"""Delivery of mails: their form, the mail server, and files in its place."""
