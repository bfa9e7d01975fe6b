"""Rules about settings: traffic, pause, execution, CPU shares, quotas and backends are those that were asked for."""

from typing import Any

from sextant_domain.chains.chain import ChainSettings, ChainSpec
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.plans.intents import AdjustIntent

from sextant_engine.checks.view import View

NONE: tuple[None, None, dict[str, Any]] = (None, None, {})


def settings_as_asked(view: View) -> list[str]:
    """A new chain has the settings of its specification, an adjusted one those of the intent."""
    wrong: list[str] = []
    for host, chain in view.new_chains:
        spec = view.specs.get(chain.chain)
        wrong += _unlike(host, chain, _of_spec(spec)) if spec else []
    intent = view.body.intent
    if isinstance(intent, AdjustIntent) and view.body.target:
        for host, chain in view.chains_after.get(intent.chain, []):
            wrong += _unlike(host, chain, _of_intent(intent.settings))
        wrong += [
            f"{name} on {host}: traffic and pause are not those of {intent.chain}"
            for name in intent.more
            for host, chain in view.chains_after.get(name, [])
            if (chain.traffic, chain.paused) != (intent.settings.traffic, intent.settings.paused)
        ]
    return wrong


def adjustments_listed(view: View) -> list[str]:
    """A setting is listed as changed if, and only if, the orders change it; CPU shares and quotas are in `changes`."""
    listed = {(one.host, one.chain, one.field.partition(".")[0]) for one in view.body.adjustments}
    made: set[tuple[str, str, str]] = set()
    for target in view.body.target:
        host = target.content.host_id
        then = {chain.chain: chain for chain in view.before[host].chains} if host in view.before else {}
        for now in target.content.chains:
            before = _settings_of(then[now.chain]) if now.chain in then else None
            after = _settings_of(now)
            made |= {(host, now.chain, part) for part in after if before is not None and before[part] != after[part]}
    wrong = [f"{chain} on {host}: {part} changes and is not listed" for host, chain, part in sorted(made - listed)]
    idle = [f"{chain} on {host}: {part} is listed, but does not change" for host, chain, part in sorted(listed - made)]
    return wrong + idle


def _settings_of(chain: DesiredChain) -> dict[str, Any]:
    return {**_of_order(chain), "nfs": {nf.nf_id: nf.config for nf in chain.nfs}, "bounds": chain.bounds}


def _unlike(host: str, chain: DesiredChain, asked: dict[str, Any]) -> list[str]:
    """Of a configuration only what is asked for is compared; `configs_valid` judges the rest of a new chain's."""
    found = _of_order(chain)
    found["nfs"] = {
        name: (share, quota, {key: value for key, value in config.items() if key in asked["nfs"].get(name, NONE)[2]})
        for name, (share, quota, config) in found["nfs"].items()
    }
    return [f"{chain.chain} on {host}: {part} is not as asked for" for part in asked if asked[part] != found[part]]


def _of_order(chain: DesiredChain) -> dict[str, Any]:
    nfs = {nf.nf_id.partition(".")[2]: (nf.cpu_share, nf.cpu_quota_percent, nf.config) for nf in chain.nfs}
    return {**_of_whole(chain), "nfs": nfs}


def _of_spec(spec: ChainSpec) -> dict[str, Any]:
    nfs = {nf.name: (nf.cpu_share, nf.cpu_quota_percent, nf.config) for nf in spec.nfs}
    return {**_of_whole(spec), "nfs": nfs}


def _of_intent(asked: ChainSettings) -> dict[str, Any]:
    nfs = {name: (nf.cpu_share, nf.cpu_quota_percent, nf.config) for name, nf in asked.nfs.items()}
    return {**_of_whole(asked), "nfs": nfs}


def _of_whole(chain: DesiredChain | ChainSpec | ChainSettings) -> dict[str, Any]:
    """Settings of a chain that are of no NF."""
    return {
        "traffic": chain.traffic,
        "execution": chain.execution,
        "paused": chain.paused,
        "share_bounds": chain.share_bounds,
        "quota_bounds": chain.quota_bounds,
    }
