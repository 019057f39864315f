"""Store of contents: in the data directory or in a bucket, and the bytes that each account uses."""
