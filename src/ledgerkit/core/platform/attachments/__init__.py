"""Attachments: files of documents, in a store with content addresses."""
