"""`make test`: every suite, real servers, one line each, and a last line with the sum."""
