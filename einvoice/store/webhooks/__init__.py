"""Events, endpoints and the queue of their deliveries."""
