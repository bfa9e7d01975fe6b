"""OpenNetVM's programs, their arguments, and its group files."""
