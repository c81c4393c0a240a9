"""Explanations of problem types as a page and JSON, at the URL of each `type` (decisions 0.8)."""
