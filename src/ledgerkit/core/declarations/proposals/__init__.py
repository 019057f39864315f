"""Proposals of a draft: what to do about documents that changed since they were declared."""
