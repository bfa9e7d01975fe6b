"""What is written as a group file and read again is the same chains."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from opennetvm_world import chain, content, machine, nf
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_backend.modules.opennetvm.chain_import import chains_of
from sextant_backend.modules.opennetvm.compatibility import express
from sextant_backend.modules.opennetvm.group_export import write_group
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent
from sextant_domain.opennetvm.programs import METACHARACTERS

NAMES = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True)
WORDS = st.text(
    st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="".join(METACHARACTERS)), min_size=1
)
BYTES = st.integers(0, 255)


@st.composite
def firewalls(draw: st.DrawFn) -> dict[str, Any]:
    """Narrower rules first, no prefix twice; not both halves of all addresses, which are the default action."""
    prefixes = draw(st.lists(st.tuples(st.sampled_from([32, 24, 16, 8]), BYTES, BYTES, BYTES), unique=True, max_size=8))
    rules, seen = [], set()
    for length, *octets in sorted(prefixes, reverse=True):
        address = ".".join(map(str, [*octets, 0][: length // 8] + [0] * (4 - length // 8)))
        if address not in seen:
            rules.append({"action": draw(st.sampled_from(["allow", "deny"])), "src": f"{address}/{length}"})
        seen.add(address)
    return {"rules": rules, "default_action": draw(st.sampled_from(["allow", "deny"]))}


CONFIGS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "basic-monitor": st.just({}),
    "firewall": firewalls(),
    "nids": st.builds(lambda word: {"patterns": [word]}, WORDS),
    "simple-forward": st.just({}),
}


@st.composite
def placements(draw: st.DrawFn) -> HostContent:
    """One to four chains of one to five stock NFs, each on a core of its own."""
    cores = iter(range(4, 40))
    return content(*(draw(chains(name, cores)) for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))))


@st.composite
def chains(draw: st.DrawFn, name: str, cores: Any) -> DesiredChain:
    def one(nf_name: str) -> DesiredNf:
        nf_type = draw(st.sampled_from(sorted(CONFIGS)))
        return nf(f"{name}.{nf_name}", nf_type, next(cores), **draw(CONFIGS[nf_type]))

    return chain(name, *(one(nf_name) for nf_name in draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))))


def as_placed(wanted: DesiredChain) -> list[tuple[str, str, dict[str, Any]]]:
    return [(one.nf_id, one.nf_type, _without_seed(one.nf_type, one.config)) for one in wanted.nfs]


def as_read(spec: ChainSpec) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (f"{spec.name}.{one.name}", one.type, _without_seed(one.type, BY_NAME[one.type].default_config() | one.config))
        for one in spec.nfs
    ]


def _without_seed(nf_type: str, config: dict[str, Any]) -> dict[str, Any]:
    """A seed makes generated entries, of which there are none; an entry's order among equals says nothing."""
    return {name: value for name, value in config.items() if name != "seed"}


@settings(max_examples=60, deadline=None)
@given(placements())
def test_a_placement_written_and_read_is_the_same_chains(placed: HostContent) -> None:
    starts, refusals, _ = express(placed, machine(64))
    written, not_in_group, _ = write_group(starts)
    assert (refusals, not_in_group) == ([], [])
    files = {path.rsplit("/", 1)[-1]: text for path, text in written.files.items()}
    read, _ = chains_of(written.text(), files, None, None)
    assert {spec.name: as_read(spec) for spec, _ in read} == {one.chain: as_placed(one) for one in placed.chains}
