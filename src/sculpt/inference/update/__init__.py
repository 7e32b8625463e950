"""A schema brought up to date with new files: what they need is changed, and nothing else."""
