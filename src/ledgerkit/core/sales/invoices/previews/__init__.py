"""Previews of what is only proposed."""
