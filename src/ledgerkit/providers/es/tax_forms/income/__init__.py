"""Forms of income tax: the instalment of a freelancer (130), and what was withheld from others (111, 115)."""
