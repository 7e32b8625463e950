"""Java's regular expressions in the words of Sculpt."""
