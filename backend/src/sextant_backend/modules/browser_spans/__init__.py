"""What browsers report of their own requests, for traces."""
