"""Programs that behave as OpenNetVM v21.10 does, for tests of the driver where there is none. See README.md."""
