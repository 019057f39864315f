"""The tools by area: one table of what agents may do, over the service functions of core."""
