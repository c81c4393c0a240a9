"""Reports of periods: what is collected for them, when they are sent, and what tenants see."""
