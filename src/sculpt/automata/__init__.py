"""Core to automata: tokens and dialect over bytes, content over tokens, selectors over cells."""
