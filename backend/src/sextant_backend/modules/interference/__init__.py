"""Who hurts whom: on a host as it is, and under a plan."""
