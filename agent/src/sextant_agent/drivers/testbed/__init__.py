"""NFs on DPDK under a runner of our own."""
