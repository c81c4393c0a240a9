"""What the problem types mean: a page and JSON at the address a `type` names (decisions 0.8)."""
