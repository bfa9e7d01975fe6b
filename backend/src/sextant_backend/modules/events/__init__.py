"""The live event stream of the console."""
