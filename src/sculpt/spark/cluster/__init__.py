"""The cluster: its session, its workers, its jobs."""
