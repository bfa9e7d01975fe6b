"""NUMASFP's law: hands chains' resources over to the agents of their hosts, and moves chains between NUMA nodes."""
