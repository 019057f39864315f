"""Documents as they are sent: received, drawn as pages, and stored as attachments."""
