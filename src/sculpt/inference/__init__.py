"""From files to schemas: how a file is written (`sniff`), and how it is built (`init`).

In: files that nobody has described. Out: dialects with confidences, frames, the text of schemas.
Rules and statistics only: no models, no network. What is proposed is checked by the real engines,
so a schema that is printed accepts the files that it was made from.
"""
