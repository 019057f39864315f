"""All attachments of an account: exported, or given to another account."""
