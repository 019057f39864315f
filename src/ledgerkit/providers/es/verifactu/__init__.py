"""VERI*FACTU: invoices reported to the Spanish tax agency (AEAT) as they are issued.

Sources: RD 1007/2023; Orden HAC/1177/2024; the AEAT's web service description 1.0.3, validations 1.2.2, fingerprint
specification 0.1.2 and QR specification 0.5.0.
"""
