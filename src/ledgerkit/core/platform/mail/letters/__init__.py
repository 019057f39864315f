"""Subjects and sentences of the mails that the server sends, each in the language of its recipient."""
