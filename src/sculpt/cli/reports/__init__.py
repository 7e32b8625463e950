"""What `validate` and `check` write besides text: reports for machines, pages, lists."""
