"""CSVW ("CSV on the Web", W3C 2015): its metadata, read by the letter of the standard."""
