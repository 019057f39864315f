"""Values that several folders of e-invoicing share; they read no table."""
