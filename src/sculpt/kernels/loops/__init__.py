"""The loops themselves: plain Python that can also be compiled, ahead of time or just in time."""
