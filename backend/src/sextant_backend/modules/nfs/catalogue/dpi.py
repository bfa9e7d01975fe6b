"""dpi."""

from sextant_domain.chains.nf import NfType

from sextant_backend.modules.nfs.catalogue.schema import closed_object, whole_number

TYPE = NfType(
    name="dpi",
    version=1,
    short_name="dpi",
    summary="Tells the application protocol of every flow by its first packets",
    library="nDPI",
    config_schema=closed_object(
        flow_table_entries=whole_number(
            65_536, 64, 1_048_576, "Flows remembered; a full table counts the packets of the rest together"
        ),
        inspected_packets=whole_number(
            8, 1, 32, "Packets of a flow that are looked into; what they do not show, the ports decide"
        ),
    ),
)
