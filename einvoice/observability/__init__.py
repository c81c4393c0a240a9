"""Logs and metrics. Imports neither storage nor use cases; all layers above may import it."""
