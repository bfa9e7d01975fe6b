"""nft-firewall."""

from sextant_domain.chains.nf import NfType

from sextant_backend.modules.nfs.catalogue.firewall import DEFAULT_ACTION, FIRST_MATCH, RULE
from sextant_backend.modules.nfs.catalogue.schema import closed_object

MAX_RULES = 256
"""The kernel looks at them one after the other."""

TYPE = NfType(
    name="nft-firewall",
    version=1,
    short_name="nft-fw",
    summary="Allows or denies packets by addresses, protocol and port, in the kernel: it has no CPU quota, and what it"
    " takes of a core is not measured",
    library="nf_tables",
    config_schema=closed_object(
        rules={
            "type": "array",
            "changeable": True,
            "maxItems": MAX_RULES,
            "default": [],
            "items": RULE,
            "description": FIRST_MATCH,
        },
        default_action={**DEFAULT_ACTION, "changeable": True},
    ),
)
