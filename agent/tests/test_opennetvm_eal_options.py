"""What opennetvm.toml may add to a manager's options, and which cards it names."""

import pytest
from sextant_agent.drivers.opennetvm.eal_options import cards, refusal


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--file-prefix=rte"], "the prefix identifies the owner of a process"),
        (["--file-prefix", "rte"], "the prefix identifies the owner of a process"),
        # getopt takes any beginning that is one option's
        (["--file-p=rte"], "the prefix identifies the owner of a process"),
        (["--", "-p", "f"], "what follows would be the manager's own"),
        (["-a", "0000:3b:00.0", "--huge-dir=/mnt"], "set huge_dir"),
        (["--proc-type=secondary"], "a manager is the primary process"),
        (["-l", "0-3"], "set cpus"),
        (["-l0-3"], "set cpus"),
        (["-c", "ff"], "set cpus"),
        (["--lcores=0@0"], "set cpus"),
        (["-m512"], "set memory_mb"),
        (["--socket-mem", "1024"], "set memory_mb"),
        (["--no-huge"], "share the manager's huge pages"),
        (["--in-memory"], "find the manager by its files"),
    ],
)
def test_what_is_the_drivers_is_refused(words: list[str], why: str) -> None:
    assert why in (refusal(words) or "")


def test_what_is_the_operators_is_taken() -> None:
    words = ["-a", "0000:3b:00.0,mprq_en=1", "--no-pci", "--vdev=net_pcap0,iface=lo", "--iova-mode", "va", "-d", "x.so"]
    assert refusal([*words, "--log-level=8", "--no-telemetry", "--legacy-mem", "-v"]) is None


def test_cards_are_read_as_eal_reads_them() -> None:
    eal = (
        "-a",
        "3b:00.0",
        "--allow=0000:3B:00.1,txq=4",
        "-a0001:5e:00.0",
        "-w",
        "86:00.0",
        "--vdev",
        "net_null0",
        "-a",
    )
    assert cards(eal) == ["0000:3b:00.0", "0000:3b:00.1", "0001:5e:00.0", "0000:86:00.0"]
