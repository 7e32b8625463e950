"""Columns of CSV Schema written as Sculpt: tokens, rules, conditions."""
