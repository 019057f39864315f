"""Undoing of what a user has written: each write by the ordinary way back, where the law allows one."""
