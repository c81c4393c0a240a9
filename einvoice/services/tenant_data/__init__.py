"""A tenant's own data: exports, their import elsewhere, and erasing persons."""
