"""Profiling jobs: designed points, measured on a host one after the other, kept as records that never change."""
