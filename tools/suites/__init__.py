<<<<<<< HEAD
"""Judges of public suites."""
=======
"""The public suites of other systems, and a judge for each."""
>>>>>>> csvschema
