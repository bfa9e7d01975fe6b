"""CPU quotas and shares with the real runner, the root helper and the kernel: does an NF get what was ordered?

    sudo .venv/bin/python bench/cpu_share.py [--seconds 2] [--rounds 3]

1. A saturated NF alone on its core, quotas of 10 to 90 %: the CPU time it took, a straight line through it, and R^2.
2. Two saturated NFs on one core with shares 1:1, 1:2 and 1:4: how they divided it.
3. How long an NF whose quota of 50 % is used up stands still, by length of the quota period.

CPU time is the process' own (the runner reads it from the kernel), not the group's. The NFs weigh so much that other
work on the machine takes little from them; what it did take ('others') is missing from the NF's CPU time, so run this
on a quiet machine.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sextant_agent.drivers.runner_stop import stop_recorded_runner
from sextant_agent.drivers.testbed import TestbedDriver
from sextant_agent.drivers.testbed_cpu import start_command
from sextant_agent.helper.cpu_files import cpu_files, write
from sextant_agent.helper.groups import PREFIX
from sextant_agent.helper.hierarchy import find_hierarchy
from sextant_agent.helper_client import HelperClient, HelperError
from sextant_agent.telemetry import rates
from sextant_domain.chain import Egress, Ingress, Match
from sextant_domain.desired import DesiredChain, DesiredNf, HostContent
from sextant_domain.telemetry import ChainSample, NfSample
from sextant_domain.traffic import Traffic

ROOT = Path(__file__).resolve().parents[1]
RUNNER = ROOT / "dataplane/build/sextant-runner"
HOST = "bench"
LOOPS = 50_000
"""So many a packet that the source saturates the NF with hardly any CPU of its own, also where its own core is busy:
with 2000 it was the source, and not the quota, that held the NF back."""


def main() -> None:
    chosen = _arguments()
    with _host() as (driver, helper):
        core = driver.inventory().host.cores[0].id
        _quotas(driver, core, chosen.seconds, chosen.rounds)
        _shares(driver, core, chosen.seconds, chosen.rounds)
        _periods(driver, helper, core, chosen.seconds * 2)


def _quotas(driver: TestbedDriver, core: int, seconds: float, rounds: int) -> None:
    points: dict[int, list[NfSample]] = {quota: [] for quota in range(10, 100, 10)}
    dice = random.Random(1)
    for _ in range(rounds):
        for quota in dice.sample(list(points), len(points)):  # whatever drifts meanwhile falls on all alike
            _apply(driver, _chain("one", core, 0, share=10_000, quota=quota))
            points[quota].append(_measure(driver, seconds)[0][0])
    print(f"1. Quota against measured CPU of one saturated NF ({rounds} x {seconds:g} s each)\n")
    print("quota %   CPU %   throttled %   others %   delivered Mpps")
    for quota, found in points.items():
        cpu = statistics.mean(sample.cpu_percent for sample in found)
        held = statistics.mean(sample.throttled_percent or 0 for sample in found)
        mpps = statistics.mean(sample.tx_mpps for sample in found)
        print(f"{quota:7}   {cpu:5.2f}   {held:11.1f}   {100 - cpu - held:8.1f}   {mpps:14.4f}")
    pairs = [(quota, sample) for quota, found in points.items() for sample in found]
    for name, values in (
        ("CPU %", [sample.cpu_percent for _, sample in pairs]),
        ("Mpps", [sample.tx_mpps for _, sample in pairs]),
    ):
        _print_line(name, [float(quota) for quota, _ in pairs], values)


def _print_line(name: str, quotas: list[float], values: list[float]) -> None:
    slope, intercept = statistics.linear_regression(quotas, values)
    squared = statistics.correlation(quotas, values) ** 2
    print(f"{name} = {slope:.4f} x quota {intercept:+.4f}, R^2 = {squared:.5f} over {len(values)} runs")


def _shares(driver: TestbedDriver, core: int, seconds: float, rounds: int) -> None:
    print(f"\n2. Two saturated NFs on one core ({rounds} x {seconds:g} s each)\n")
    print("shares        CPU %            of the two   ordered")
    for first, second in ((1000, 1000), (1000, 2000), (1000, 4000)):
        _apply(driver, _chain("one", core, 0, share=first), _chain("two", core, 1, share=second))
        taken: list[tuple[float, float]] = []
        for _ in range(rounds):
            nfs = {sample.chain: sample.cpu_percent for sample in _measure(driver, seconds)[0]}
            taken.append((nfs["one"], nfs["two"]))
        one, two = (statistics.mean(pair[number] for pair in taken) for number in (0, 1))
        both = one + two
        print(
            f"{first}:{second}   {one:5.1f} + {two:5.1f}   {one / both:8.3f} : {two / both:.3f}"
            f"   {first / (first + second):.3f} : {second / (first + second):.3f}"
        )


def _periods(driver: TestbedDriver, helper: HelperClient, core: int, seconds: float) -> None:
    print(f"\n3. How long a saturated NF with a quota of 50 % stands still, by period ({seconds:g} s each)\n")
    print("period ms   CPU %   standing still at a time, ms (mean)")
    _apply(driver, _chain("one", core, 0, share=10_000, quota=50))
    for period in (5, 10, 20, 50, 100):
        _set_period(helper, "one.nf", 50, period * 1000)
        before = helper.groups()["one.nf"]
        nfs, _ = _measure(driver, seconds)
        after = helper.groups()["one.nf"]
        times = max(1, after.throttled_periods - before.throttled_periods)
        still_ms = (after.throttled_ns - before.throttled_ns) / times / 1e6
        print(f"{period:9}   {nfs[0].cpu_percent:5.2f}   {still_ms:6.2f}")


def _set_period(helper: HelperClient, nf_id: str, percent: int, period_us: int) -> None:
    """Past the helper, which has one period only: this is what it was chosen by."""
    found = find_hierarchy(Path("/proc/self/mountinfo").read_text())
    folder = cpu_files(found).roots[0] / str(helper.hello().subtree) / f"{PREFIX}{nf_id}"
    quota = period_us * percent // 100
    if found.version == 2:
        write(folder / "cpu.max", f"{quota} {period_us}")
    else:
        write(folder / "cpu.cfs_quota_us", "-1")
        write(folder / "cpu.cfs_period_us", str(period_us))
        write(folder / "cpu.cfs_quota_us", str(quota))


def _chain(
    name: str,
    core: int,
    slot: int,
    *,
    share: int,
    quota: float | None = None,
) -> DesiredChain:
    nf = DesiredNf(
        nf_id=f"{name}.nf",
        nf_type="simple-forward",
        nf_version=1,
        config={"loops": LOOPS},
        core=core,
        slot=slot,
        cpu_share=share,
        cpu_quota_percent=quota,
    )
    traffic = Traffic(rate_mpps=5, packet_bytes=64, flows=100)
    return DesiredChain(chain=name, nfs=(nf,), ingress=Ingress(match=Match()), egress=Egress(), traffic=traffic)


def _apply(driver: TestbedDriver, *chains: DesiredChain) -> None:
    report = driver.apply(HostContent(host_id=HOST, chains=chains))
    if report.failures:
        raise SystemExit("; ".join(failure.message for failure in report.failures.values()))
    time.sleep(0.5)


def _measure(driver: TestbedDriver, seconds: float) -> tuple[tuple[NfSample, ...], tuple[ChainSample, ...]]:
    before = driver.sample()
    time.sleep(seconds)
    found = rates(before, driver.sample(), {})
    return found.nfs, found.chains


@contextmanager
def _host() -> Iterator[tuple[TestbedDriver, HelperClient]]:
    """A runner and a helper of their own; nothing of them is left."""
    with tempfile.TemporaryDirectory(prefix="sextant-bench-") as name:
        folder = Path(name).resolve()
        client = HelperClient(folder / "helper.sock")
        command = start_command(client.path, HOST, RUNNER).split(" ")
        helper = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        driver = TestbedDriver(HOST, folder, RUNNER)
        try:
            _wait_for(client)
            yield driver, client
        finally:
            driver.close()
            client.close()
            stop_recorded_runner(folder)
            helper.terminate()
            helper.wait(timeout=20)
            subprocess.run([*command, "--clean"], check=True)


def _wait_for(client: HelperClient) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            reason = client.hello().reason
        except HelperError as error:
            reason = str(error)
            if time.monotonic() < deadline:
                time.sleep(0.1)
                continue
        if reason is not None:
            raise SystemExit(reason)
        return


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="CPU quotas and shares of real NFs, measured.")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of a run")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each point")
    if os.geteuid() != 0:
        sys.exit("the helper needs root: sudo .venv/bin/python bench/cpu_share.py")
    return parser.parse_args()


if __name__ == "__main__":
    main()
