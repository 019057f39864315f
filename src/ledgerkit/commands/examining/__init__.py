"""What `ledgerkit doctor` looks at: each check gives findings, a line each, and changes nothing."""
