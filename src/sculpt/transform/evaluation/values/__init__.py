"""Values of programs, for many iterations at once: a frame in, Arrow arrays out."""
