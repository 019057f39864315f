"""Short messages as people type and dictate them, in Spanish and English, without a model."""
