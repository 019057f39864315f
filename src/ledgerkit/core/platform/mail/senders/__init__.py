"""Rules about senders of mails, and a mail with which a person tries the mail server."""
