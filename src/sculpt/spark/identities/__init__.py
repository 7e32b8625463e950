"""Keys and references on Spark: entries made in tasks, judged by one shuffle, put into words."""
