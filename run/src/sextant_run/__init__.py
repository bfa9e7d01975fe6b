"""`make up`: set-up, embedded servers, processes, certificates and the suites of `make test`.

Other packages import nothing from here but `sextant_run.servers` in their test fixtures.
"""
