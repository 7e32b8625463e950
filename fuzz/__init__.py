"""Programs that look for mistakes in sculpt by themselves; see README.md here."""
