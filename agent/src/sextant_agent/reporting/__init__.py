"""What is measured and reported: samples, rates, the reporter."""
