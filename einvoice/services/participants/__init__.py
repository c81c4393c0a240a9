"""Participants of networks: lookups, stored references, reachability of directory entries."""
