"""What the doctor says of an OpenNetVM host."""
