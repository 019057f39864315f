"""Links that are mailed to a person: their life, their use, their mails."""
