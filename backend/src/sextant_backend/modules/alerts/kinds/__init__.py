"""Kinds of alerts, one a file: what each looks at, in one or few statements whatever the size of the fleet."""
