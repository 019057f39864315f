"""What an inspector or the owner asks of a chain: verification, exports, continuation."""
