"""What the small console answers of OpenNetVM: a group of two chains, and start commands."""

from collections.abc import Container
from typing import Any

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.opennetvm.views import ChainImport, ImportedChain, ImportNote, StartCommands, StartRefusal

REFUSED = StartRefusal(chain="web", nf_id="web.r", field="type", message="OpenNetVM has no NF like 'router'")
IN_GROUP = StartRefusal(chain="shop", nf_id=None, field="nfs", message="two share core 4", group_only=True)


class ShelfOfOpenNetVm:
    """Two chains whatever the file says; commands with a file of rules."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}
        """The newest body of POST /chains/imports."""
        self.commands = StartCommands(
            host="edge-1",
            shell="#!/bin/sh\nbegin \x1b[31mred\n",
            group='{\n  "globals": []\n}\n',
            group_manager="./onvm_mgr -p 1",
            group_files={"firewall/web.fw.rules.json": "{}\n"},
            refusals=(),
            notes=("web.m: is written as flow_tracker",),
        )

    def refusing(self, *refusals: StartRefusal, **changes: Any) -> None:
        self.commands = self.commands.model_copy(update={"refusals": refusals, **changes})

    def read(self, body: Any, known: Container[str]) -> tuple[int, Any, str | None]:
        self.asked = body
        traffic = body.get("traffic") or {"rate_mpps": 0.1, "packet_bytes": 64}
        names = [f"{body.get('name_prefix') or 'imported'}-{number}" for number in (1, 2)]
        chains = [ChainSpec.model_validate({"name": name, "nfs": ["router"], "traffic": traffic}) for name in names]
        return 200, ChainImport(
            chains=tuple(
                ImportedChain(spec=spec, services=(number, number + 1), taken=spec.name in known)
                for number, spec in ((1, chains[0]), (3, chains[1]))
            ),
            notes=(ImportNote(at="router.0.parameters", message="-l 5: planning chooses cores"),),
        ), None  # fmt: skip
