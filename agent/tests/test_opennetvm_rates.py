"""What is reported of OpenNetVM's packets: its manager counts once a second, and the agent looks once a second."""

from sextant_agent.control.reconciliation import HostProgress
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.reporting.sampling import Sampling
from sextant_domain.hosts.desired import Phase

from .opennetvm_host import FIRST, SECOND, DoubleHost, driver, host, kill
from .orders import HOST, chain, content, nf

__all__ = ["driver", "host"]

WEB = chain("web", nf("web", "router", core=FIRST), nf("web", "simple-forward", core=SECOND))


def test_samples_between_two_writings_report_the_rate_of_the_last_two(
    host: DoubleHost, driver: OpenNetVmDriver
) -> None:
    """A dozen samples, of which every second one finds a writing that was there before: what flowed is no 0.0, and not
    twice as much at the next. Nothing flows once the manager is dead."""
    sampling = Sampling(HOST, ())
    assert driver.apply(content(WEB)).failures == {}

    def sampled_rates() -> tuple[float, ...]:
        found = sampling.batch(driver.sample(), HostProgress(1, Phase.CONVERGED), {})
        offered = [rate for one in found.chains for rate in (one.offered_mpps, one.delivered_mpps)]
        return *offered, *(nf.rx_mpps for nf in found.nfs)

    for number in (1, 2):
        host.step(number)
        sampled_rates()
    for number in range(3, 9):
        host.step(number)
        new = sampled_rates()
        assert len(new) == 4 and min(new) > 0
        assert sampled_rates() == new, "nothing was counted since"
    kill(host.manager().running)
    assert max(sampled_rates()) == 0
