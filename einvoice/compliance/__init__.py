"""What countries demand of invoices: facts with their source and the day they were checked."""
