"""Page of a vendor, with its sums."""
