"""Types and helpers of everything that travels over the API: shapes, fields, pages, validation."""
