"""What the doctor says of the CPUs of an OpenNetVM host, most of which poll."""

from .doctor_world import STATE, DoctorWorld, only


def test_cpus_that_are_not_there_or_not_allowed(world: DoctorWorld) -> None:
    world.describe("11-14", "11-14,40")
    assert world.wrong()["CPUs"].what == "40 of opennetvm.toml are not online here"
    world.describe("11-14,40", "11-14")
    status = (world.root / "proc/self/status").read_text().replace("0-31", "0-12")
    world.write({"proc/self/status": status})
    found = only(world)
    assert found.state == "warning", "the agent's own may be wider"
    assert found.what.startswith(
        "13-14 of opennetvm.toml are outside this process's CPU affinity, and no agent is running"
    )
    world.write({f"{STATE}/agent.json": '{"pid": 60}', "proc/60/status": "Cpus_allowed_list:\t0-13"})
    world.process(60, "/usr/bin/python3", "/opt/bin/sextant-agent", "serve")
    found = only(world)
    assert found.state == "problem"
    assert found.what == "14 of opennetvm.toml are outside the CPU affinity of the agent (process 60)"
    world.write({"proc/60/status": "Cpus_allowed_list:\t0-31"})
    assert world.wrong() == {}


def test_polling_threads_want_cpus_of_their_own(world: DoctorWorld) -> None:
    """The first CPU of a manager may be shared: 8 is no fault, 10 is."""
    world.describe("11-14", "8,10-14")
    found = only(world)
    assert (found.check, found.state) == ("polling threads", "warning")
    assert found.what.startswith("CPUs 10 are shared by RX or TX")


def test_siblings_of_rx_and_tx_threads_do_not_poll(world: DoctorWorld) -> None:
    """CPU n and n + 16 are one physical core: 9 and 25. NFs at 11 and 27 are placement's to keep apart."""
    world.write({f"sys/devices/system/cpu/{name}": "8-15,24-31" for name in ("isolated", "nohz_full")})
    world.describe("11-14", "11-14,27")
    assert world.wrong() == {}
    world.describe("11-14,27", "11-14,25")
    assert only(world).what == "polling CPUs 9 and 25 are siblings: each slows the other"


def test_the_system_keeps_off_polling_cpus(world: DoctorWorld) -> None:
    world.write({"sys/devices/system/cpu/isolated": "8-12", "sys/devices/system/cpu/nohz_full": "(null)"})
    found = only(world)
    assert found.what == "of the polling CPUs the scheduler puts other work on 13-14 and the timer interrupts 9-14"
    assert found.do == "on the kernel's command line: isolcpus=managed_irq,domain,9-14 nohz_full=9-14 rcu_nocbs=9-14"


def test_interrupts_keep_off_polling_cpus(world: DoctorWorld) -> None:
    world.write({"proc/irq/9/smp_affinity_list": "0-31", "proc/irq/31/effective_affinity_list": "12"})
    found = only(world)
    assert found.what == "delivered to polling CPUs: 31 (nvme0q3)", "9 has no device, and so never comes"
    assert found.do
    assert "echo 0-8,15-31 > /proc/irq/NUMBER/smp_affinity_list" in found.do
