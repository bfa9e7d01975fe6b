"""vpn."""

from sextant_domain.chains.nf import NfType

from sextant_backend.modules.nfs.catalogue.schema import SEED, address, choice, closed_object, whole_number

TYPE = NfType(
    name="vpn",
    version=1,
    short_name="vpn",
    summary="Encrypts every packet with AES-128-GCM (ESP), or decrypts and authenticates it",
    library="intel-ipsec-mb",
    config_schema=closed_object(
        mode=choice("encrypt", "decrypt", description="Which end of the VPN: two with the same key undo each other"),
        form=choice("tunnel", "transport", description="Wrap the whole IPv4 packet, or encrypt its payload only"),
        key={
            "type": ["string", "null"],
            "pattern": "^[0-9a-fA-F]{40}$",
            "default": None,
            "writeOnly": True,
            "description": "40 hexadecimal digits: 16 bytes of key, 4 of salt. A secret: it is stored encrypted, told "
            "to the host alone, and shown to nobody; a chain names it by a reference. null: a key for demonstrations "
            "that anybody can derive from the seed",
        },
        seed={**SEED, "description": "Of the demonstration key"},
        tunnel_src=address("198.18.0.1", "Outer source address of a tunnel"),
        tunnel_dst=address("198.18.0.2", "Outer destination address of a tunnel"),
        mtu=whole_number(
            1600, 576, 1600, "Bytes of the longest encrypted IP packet: what would exceed it is filtered and counted"
        ),
    ),
)
