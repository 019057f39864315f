"""The outbox: schedule of each chain's messages, retries after failures, and incidents."""
