"""The OpenNetVM driver: managers and NFs of an OpenNetVM v21.10 installation, run and watched as processes."""
