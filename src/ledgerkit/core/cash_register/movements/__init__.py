"""Movements of a till: the sums after each, sales and refunds with their documents."""
