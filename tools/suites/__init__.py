"""The public suites of the systems that Sculpt imports, and what judges each of them."""
