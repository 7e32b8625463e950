"""The loops themselves: plain Python that both compilers read."""
