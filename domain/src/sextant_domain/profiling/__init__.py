"""Measurements of NF types on hosts, and the performance models made of them."""
