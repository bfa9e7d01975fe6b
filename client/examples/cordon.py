"""Cordon every host with a label, and say what runs there: `python cordon.py rack=7 "new switch"`.

Address and token come from SEXTANT_URL and SEXTANT_TOKEN. Hosts that are cordoned already are left as they are.
"""

import os
import sys

from sextant_client import ApiError, Client
from sextant_client.transport import each


def main(label: str, reason: str) -> int:
    """Exit status 1 where a host could not be cordoned."""
    failed = 0
    with Client(os.environ["SEXTANT_URL"], os.environ["SEXTANT_TOKEN"]) as console:
        for host in each(console.list_hosts, label=label, cordoned=False, sort="host_id"):
            name = host["host_id"]
            chains = [chain["spec"]["name"] for chain in each(console.list_chains, host=name)]
            try:
                console.cordon_host(name, {"reason": reason})
            except ApiError as refused:
                failed += 1
                print(f"{name}: {refused}", file=sys.stderr)
            else:
                print(f"{name}: cordoned; runs {', '.join(chains) or 'nothing'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
