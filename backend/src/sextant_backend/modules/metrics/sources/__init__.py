"""Sources of metrics, one a file: families, and one statement or few that find them whatever the size of the fleet.

A figure that a host measures is there only while the host reports it; when it was measured is there as long as it is
known. So a host that has fallen silent shows no rate of the past, and how long it has been silent.
"""
