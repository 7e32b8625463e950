"""What can be said about a schema without data: costs, guards, lints, explanations."""
