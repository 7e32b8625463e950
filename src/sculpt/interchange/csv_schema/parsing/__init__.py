"""CSV Schema as text: its grammar, and what a file may not say."""
