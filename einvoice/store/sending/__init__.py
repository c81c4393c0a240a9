"""Documents on their way out: accepting, transmissions, lookups, resending."""
