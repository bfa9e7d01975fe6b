"""basic-monitor."""

from sextant_domain.chains.nf import NfType

from sextant_backend.modules.nfs.catalogue.schema import closed_object, whole_number

TYPE = NfType(
    name="basic-monitor",
    version=1,
    short_name="monitor",
    summary="Counts packets and bytes of every flow",
    library="rte_hash",
    config_schema=closed_object(
        flow_table_entries=whole_number(
            65_536, 64, 1_048_576, "Flows counted one by one; a full table counts the rest together"
        )
    ),
)
