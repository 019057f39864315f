"""The way back of each kind of write, or the reason why there is none."""
