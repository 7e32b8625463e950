"""Views as HTML: the report, one page for `sculpt show`, and what a notebook displays."""
