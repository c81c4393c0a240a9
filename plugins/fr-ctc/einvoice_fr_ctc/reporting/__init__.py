"""E-reporting (flux 10): what is sold to consumers and abroad, bought abroad, and paid."""
