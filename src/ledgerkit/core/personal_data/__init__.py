"""A person's own data: taken out whole, and erased (GDPR arts. 15, 17 and 20)."""
