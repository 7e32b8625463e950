"""Derived tokens, `name := tokens`: their trees and their parser."""
