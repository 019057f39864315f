"""Overview of a business on one screen."""
