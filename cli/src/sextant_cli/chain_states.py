"""What state each chain is in."""

from sextant_domain.console.views import ChainState, ChainView

from sextant_cli.client import path_of
from sextant_cli.session import Session, read_all


def chain_states(session: Session) -> dict[str, ChainState]:
    """By name."""
    return {chain.spec.name: chain.state for chain in read_all(ChainView, session.api.pages(path_of("chains")))}
