"""What every room uses: files, digests, metrics."""
