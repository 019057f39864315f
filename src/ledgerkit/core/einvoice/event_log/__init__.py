"""The signed event log that the law demands of software which stores records instead of reporting them."""
