"""What an inspector asks for: checks of a chain, exports, answers to demands."""
