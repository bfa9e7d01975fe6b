"""Certificates of consoles and workers on further machines: asked for, and given, by the database."""
