"""Passwords and verified addresses, and the mailed links that change them."""
