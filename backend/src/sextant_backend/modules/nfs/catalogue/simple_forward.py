"""simple-forward."""

from sextant_domain.chains.nf import NfType

from sextant_backend.modules.nfs.catalogue.schema import closed_object, whole_number

TYPE = NfType(
    name="simple-forward",
    version=1,
    short_name="forward",
    summary="Hands every packet on, after a busy loop if one is asked for",
    library="own code",
    config_schema=closed_object(
        loops=whole_number(0, 0, 100_000, "Turns of a busy loop a packet, to make the NF as heavy as wanted")
    ),
)
