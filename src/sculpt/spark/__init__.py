"""Sculpt on Apache Spark."""
