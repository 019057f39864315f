"""Sources of reports: statements over sales and purchases."""
