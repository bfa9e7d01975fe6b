"""The catalogue of NF types, and the NFs that are placed."""
