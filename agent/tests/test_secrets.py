"""An NF's key: the NF encrypts with it, and it stands nowhere but in the ledger's file and the NF's own memory."""

import json
import stat
from pathlib import Path

import pytest
from sextant_agent.orders.ledger import Ledger
from sextant_agent.orders.problems import BadOrder
from sextant_domain.chains.secret import new_reference
from sextant_domain.hosts.desired import DesiredChain, DesiredStateOrder

from .agent_process import AgentProcess
from .fleet import FleetListener
from .orders import HOST, chain, nf, order
from .waiting import wait_for

KEY, OTHER_KEY = "c0ffee00" * 5, "0ddba11e" * 5


def vpn(reference: str | None, mode: str = "encrypt") -> DesiredChain:
    return chain("vpn", nf("vpn", "vpn", core=1, mode=mode, form="tunnel", key=reference))


def bringing(generation: int, chains: tuple[DesiredChain, ...], secrets: dict[str, str]) -> DesiredStateOrder:
    return order(generation, *chains).model_copy(update={"secrets": secrets})


def test_an_order_brings_exactly_the_secrets_that_it_names(tmp_path: Path) -> None:
    reference, other = new_reference(), new_reference()
    ledger = Ledger(tmp_path / "ledger.json", HOST)
    for given, word in (({}, "does not bring"), ({reference: KEY, other: KEY}, "does not name")):
        with pytest.raises(BadOrder, match=word) as refused:
            ledger.accept(bringing(1, (vpn(reference),), given))
        assert KEY not in str(refused.value.problem("", ""))
    assert ledger.accept(bringing(1, (vpn(reference),), {reference: KEY}))
    kept = Ledger(tmp_path / "ledger.json", HOST).in_force()
    assert kept == (order(1, vpn(reference)).desired, {reference: KEY}), "a reboot finds both"
    assert stat.S_IMODE((tmp_path / "ledger.json").stat().st_mode) == 0o600


def test_no_digest_is_over_a_secret() -> None:
    reference = new_reference()
    one, two = (bringing(1, (vpn(reference),), {reference: key}) for key in (KEY, OTHER_KEY))
    assert one.desired == two.desired
    assert KEY not in repr(one)


def delivered(fleet: FleetListener, since: int) -> bool:
    return any(batch.chains and batch.chains[0].delivered_mpps > 0 for batch in fleet.batches[since:])


def test_the_nf_has_the_true_key_and_nobody_else_sees_it(agent: AgentProcess, fleet: FleetListener) -> None:
    """What one NF encrypts the next one decrypts only with the same key: packets that do not fit it are filtered."""
    agent.start()
    seal, unseal = new_reference(), new_reference()
    both = chain(
        "vpn",
        nf("vpn", "vpn", core=1, mode="encrypt", form="tunnel", key=seal),
        nf("vpn", "vpn", core=1, slot=1, mode="decrypt", form="tunnel", key=unseal).model_copy(
            update={"nf_id": "vpn.back"}
        ),
    )
    agent.converge(bringing(1, (both,), {seal: KEY, unseal: KEY}))
    wait_for("packets come through", lambda: delivered(fleet, 0))

    other = new_reference()
    changed = both.model_copy(
        update={"nfs": (both.nfs[0], both.nfs[1].model_copy(update={"config": {**both.nfs[1].config, "key": other}}))}
    )
    agent.converge(bringing(2, (changed,), {seal: KEY, other: OTHER_KEY}))
    wait_for(
        "all is filtered",
        lambda: any(nf.filtered_mpps > 0 for batch in fleet.batches[-1:] for nf in batch.nfs if nf.nf_id == "vpn.back"),
    )

    agent.kill()
    agent.stop_runner()
    agent.start()
    agent.converge()
    wait_for("the same after a reboot, by the ledger", lambda: fleet.batches[-1].nfs)

    said = (
        "".join(
            agent.get(path).text
            for path in ("/v1/health", "/v1/inventory", "/v1/desired", "/v1/actual", "/v1/profiles", "/metrics")
        )
        + "".join(batch.model_dump_json() for batch in fleet.batches)
        + json.dumps(fleet.registered, default=str)
    )
    assert seal in said, "it is told by reference"
    for text in (said, agent.log.read_text(), *_files(agent), *_processes()):
        assert KEY not in text and OTHER_KEY not in text
    assert KEY in (agent.state / "ledger.json").read_text()


def _files(agent: AgentProcess) -> list[str]:
    """Of the state folder, but for the ledger: the runner's log is there, too."""
    files = [path for path in agent.state.rglob("*") if path.is_file() and path.name != "ledger.json"]
    assert any("runner" in path.name for path in files)
    return [path.read_bytes().decode(errors="replace") for path in files]


def _processes() -> list[str]:
    """Command lines and environments of all there are: as root of all, else of our own."""
    found = []
    for folder in Path("/proc").iterdir():
        for name in ("cmdline", "environ"):
            try:
                found.append((folder / name).read_bytes().decode(errors="replace"))
            except (OSError, ValueError):
                continue
    return found
