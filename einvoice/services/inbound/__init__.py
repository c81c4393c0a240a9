"""Documents received from networks: reception, reading, and bills."""
