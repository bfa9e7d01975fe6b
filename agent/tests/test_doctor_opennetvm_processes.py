"""What the doctor says of the processes of an OpenNetVM host: those that run, and what the dead have left."""

import json
import os

from sextant_agent.drivers.opennetvm.installation import read_installation
from sextant_agent.drivers.opennetvm.start_settings import hash_of, settings_of

from .doctor_world import STATE, DoctorWorld, only


def test_files_of_the_dead_are_reported_and_those_of_the_living_are_not(world: DoctorWorld) -> None:
    world.write(
        {"dev/hugepages/sextant-westmap_0": "", "var/run/dpdk/sextant-west/config": "", "dev/hugepages/rtemap_0": ""}
    )
    found = only(world)
    assert found.what == (
        "left by dead processes of prefix sextant-west: /var/run/dpdk/sextant-west, /dev/hugepages/sextant-westmap_0"
    )
    assert found.do
    assert found.do.endswith("rm -r /var/run/dpdk/sextant-west /dev/hugepages/sextant-westmap_*")
    world.process(71, "/opt/firewall", "--file-prefix=sextant-west")
    assert "files of west" not in world.wrong()


def test_processes_that_the_registry_does_not_name(world: DoctorWorld) -> None:
    world.process(71, "/opt/firewall", "--file-prefix=sextant-west")
    world.process(72, "/opt/testpmd", "--file-prefix=rte")
    found = only(world)
    assert found.what == "firewall 71: of prefix sextant-west, but not in the agent's process registry"
    assert found.do
    assert found.do.endswith("kill 71")


def test_a_damaged_registry_makes_no_strangers(world: DoctorWorld) -> None:
    """Its processes may carry packets: the doctor does not advise to end them, but says how, if all is given up."""
    world.registry('{"epoch": "e", "managers": {"west": ')
    found = only(world)
    assert found.what.endswith("no process that it could name is running")
    world.manager_process(70)
    world.process(71, "/opt/firewall", "--file-prefix=sextant-west")
    found = only(world)
    assert (found.check, found.state) == ("process registry", "problem")
    assert "process_registry.json is damaged: Invalid JSON" in found.what and "what 2 processes" in found.what
    assert found.do == "restore the file, or the agent version that wrote it; to give up what is running: kill 70 71"


def test_a_registry_that_cannot_be_read(world: DoctorWorld) -> None:
    (world.root / STATE / "opennetvm/process_registry.json").mkdir(parents=True)
    world.manager_process(70)
    assert "process_registry.json cannot be read: Is a directory" in only(world).what


def test_a_manager_that_writes_is_well_and_one_that_does_not_hangs(world: DoctorWorld) -> None:
    world.registry(
        json.dumps({"epoch": "e", "managers": {"west": {"name": "west", "pid": 70, "start_time": 500, "starts": 3}}})
    )
    assert only(world).what == "process 70 has ended, but the agent's process registry still lists it"
    world.manager_process()
    assert only(world).what == "process 70 has written no statistics yet: it is starting, or it hangs"
    figures = world.root / STATE / "opennetvm/west/onvm_web/onvm_stats.txt"
    world.write({str(figures.relative_to(world.root)): "2026"})
    assert world.wrong() == {}
    assert world.findings()["manager west"].what.endswith("s ago; 3 NFs under it so far")
    world.write({f"{STATE}/opennetvm/west/stuck": "no packet has moved since one of its NFs was killed"})
    assert only(world).what == (
        "process 70 is stuck, though it writes its statistics: no packet has moved since one of its NFs was killed"
    )
    (world.root / STATE / "opennetvm/west/stuck").unlink()
    os.utime(figures, (figures.stat().st_mtime - 60, figures.stat().st_mtime - 60))
    found = only(world)
    assert (found.check, found.state) == ("manager west", "problem")
    assert "has written no statistics for 60 s" in found.what
    world.process(70, "/usr/bin/vim", start_time=900)
    assert only(world).what == "process 70 has ended, but the agent's process registry still lists it", (
        "another took its number"
    )


def test_a_chain_that_runs_by_an_older_file(world: DoctorWorld) -> None:
    """First the agent has to read the file; what it has read is in its registry."""
    file = world.root / "etc/sextant/opennetvm.toml"
    settings = settings_of(read_installation(file), "west")
    assert settings
    manager = {"name": "west", "pid": 70, "start_time": 500, "settings": settings.model_dump_json()}
    router = {"nf_id": "web.router", "nf_type": "router", "cpu": 11, "instance": 1, "service": 1, "lcore": 11}
    router |= {"pid": 71, "start_time": 500}
    web = {"chain": "web", "manager": "west", "structure": "s", "source": "s", "instance": 1, "nfs": [router]}
    pages = {"epoch": "e", "managers": {"west": manager}, "chains": {"web": web}}
    world.manager_process()
    world.process(71, "/opt/flow_tracker", "--file-prefix=sextant-west")
    world.write({f"{STATE}/opennetvm/west/onvm_web/onvm_stats.txt": "2026", f"{STATE}/agent.json": '{"pid": 60}'})
    world.write({"proc/60/status": "Cpus_allowed_list:\t0-31"})
    world.process(60, "/usr/bin/python3", "/opt/bin/sextant-agent", "serve")
    world.registry(json.dumps({**pages, "description": hash_of(read_installation(file))}))
    assert world.wrong() == {}
    world.describe("node = 1", "node = 1\nmemory_mb = 1024")
    found = world.wrong()
    assert found["settings of web"].what.endswith("changed in opennetvm.toml since: memory_mb of manager west")
    assert found["settings of web"].do == "sextant-agent take-over web: the chain is drained and restarted"
    assert found["agent"].what == "opennetvm.toml was changed after the agent read it"
    world.registry(json.dumps({**pages, "description": hash_of(read_installation(file))}))
    assert set(world.wrong()) == {"settings of web"}
    world.process(70, "/usr/bin/vim", start_time=900)
    assert "settings of web" not in world.wrong(), "it starts again by the file as it is"


def test_another_managers_semaphores_are_in_the_way_of_a_shared_one(world: DoctorWorld) -> None:
    world.process(80, "/opt/onvm_mgr", "--file-prefix=theirs", "-c", "f", "--", "-c")
    assert world.wrong() == {}, "polling managers do not meet"
    world.describe("cpus = [8, 9, 10]", "cpus = [8, 9, 10, 15]\nshared = true")
    assert only(world).do == "end it (kill 80), or set shared = false in opennetvm.toml"


def test_semaphores_of_a_dead_shared_manager(world: DoctorWorld) -> None:
    """Their names hold no prefix; a polling manager has none, and another user's cannot be opened."""
    world.write({"dev/shm/sem.MProc_Client_1_SEM": "", "dev/shm/sem.other": ""})
    assert world.wrong() == {}
    world.describe("cpus = [8, 9, 10]", "cpus = [8, 9, 10, 15]\nshared = true")
    found = only(world)
    assert (found.state, found.what) == ("warning", "1 left by a dead manager")
    world.run_as(4242)
    found = world.wrong()["semaphores of west"]
    assert (found.state, found.do) == ("problem", "as root: rm /dev/shm/sem.MProc_Client_*")
    world.process(80, "/opt/onvm_mgr", "--file-prefix=theirs")
    assert "semaphores of west" in world.wrong(), "a polling manager has none"
    world.process(80, "/opt/onvm_mgr", "--file-prefix=theirs", "--", "-c")
    assert "semaphores of west" not in world.wrong(), "they may be that one's"


def test_system_v_keys_of_another_user(world: DoctorWorld) -> None:
    """1230 to 1357 are OpenNetVM's, one an NF: 1229 and 1358 are somebody else's business."""
    world.describe("cpus = [8, 9, 10]", "cpus = [8, 9, 10, 15]\nshared = true")
    rows = [f"{key} {key + 7} 600 4 56 56 0 {user} 0 {user} 0 0 0 0" for key, user in
            ((1229, 77), (1230, 0), (1231, 77), (1357, 77), (1358, 77))]  # fmt: skip
    world.write({"proc/sysvipc/shm": "\n".join(["key shmid perms size cpid lpid nattch uid gid cuid cgid", *rows])})
    found = world.wrong()["System V keys of west"]
    assert found.what.startswith("2 left by a dead manager, of user 77: the manager cannot make its own as user")
    assert (found.state, found.do) == ("problem", "as root: ipcrm -M 1231 -M 1357")
    world.process(80, "/opt/onvm_mgr", "--file-prefix=theirs", "--", "-c")
    assert "System V keys of west" not in world.wrong(), "they may be that one's"
