"""Engines that read a document."""
