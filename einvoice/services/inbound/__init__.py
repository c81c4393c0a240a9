"""Documents that networks hand over: reception, reading, and bills."""
