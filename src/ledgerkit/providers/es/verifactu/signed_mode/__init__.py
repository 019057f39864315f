"""The signed mode (NO VERI*FACTU): signatures of records, the event log, and the audit of both."""
