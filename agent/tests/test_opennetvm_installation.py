"""opennetvm.toml: what is read of it, and what is refused by its field."""

import os
from pathlib import Path

import pytest
from sextant_agent.drivers.opennetvm.file_watch import FileWatch
from sextant_agent.drivers.opennetvm.installation import BadInstallation, read_installation

GOOD = """
home = "/opt/openNetVM"

[[manager]]
name = "west"
cpus = [0, 1, 2]
nf_cpus = "4-7,9"
port = "p0"
node = 0
eal = ["-a", "0000:3b:00.0"]

[program.router]
path = "/opt/nfs/router"
args = ["-d", "{next}"]
"""


def read(folder: Path, text: str) -> str:
    """The message of the refusal, without the path."""
    path = folder / "opennetvm.toml"
    path.write_text(text)
    with pytest.raises(BadInstallation) as refusal:
        read_installation(path)
    return str(refusal.value).removeprefix(f"{path}: ")


def test_a_good_file_is_read_with_its_defaults(tmp_path: Path) -> None:
    path = tmp_path / "opennetvm.toml"
    path.write_text(GOOD)
    found = read_installation(path)
    assert found.manager_path == Path("/opt/openNetVM/onvm/onvm_mgr/x86_64-native-linuxapp-gcc/onvm_mgr")
    assert found.example("firewall") == Path("/opt/openNetVM/examples/firewall/build/app/firewall")
    assert found.environment == {"RUNTIME_DIRECTORY": "/var/run"}
    (west,) = found.manager
    assert (west.nf_cpus, west.prefix, west.memory_mb, west.shared) == ((4, 5, 6, 7, 9), "sextant-west", 2048, False)


def test_cpus_are_written_as_a_list_or_as_the_kernel_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "opennetvm.toml"
    path.write_text(GOOD.replace("[0, 1, 2]", '"0-2"').replace('"4-7,9"', "[4, 5]"))
    (west,) = read_installation(path).manager
    assert (west.cpus, west.nf_cpus) == ((0, 1, 2), (4, 5))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('home = "/opt/openNetVM"', "", "home: Field required"),
        ('"/opt/openNetVM"', '"openNetVM"', "line 2: home: 'openNetVM' is not an absolute path"),
        ("cpus = [0, 1, 2]", "cpus = [0, 1]", "line 6: manager.0.cpus: Value should have at least 3 items"),
        ('"4-7,9"', '"4-x"', "line 7: manager.0.nf_cpus: '4-x' is neither a CPU number nor a range"),
        ('"4-7,9"', '"60-64"', "line 4: manager.0: nf_cpus: OpenNetVM knows NF cores up to 63, not 64"),
        ("nf_cpus", "way_out_cpu = 99999\nnf_cpus", "line 7: manager.0.way_out_cpu: Input should be less than 8192"),
        ('"4-7,9"', "[4, -1]", "line 7: manager.0.nf_cpus.1: Input should be greater than or equal to 0"),
        (
            '["-a",',
            '["--file-prefix=rte",',
            "line 10: manager.0.eal: '--file-prefix=rte' is not for `eal`: the prefix identifies",
        ),
        ('["-a",', '["\\u0000",', "line 10: manager.0.eal.0: holds a NUL"),
        ('"{next}"', '"{nxt}"', "line 12: program.router: args: '{nxt}' is neither '{next}' nor '{config.NAME}'"),
        ('"{next}"', '"{config.}"', "line 12: program.router: args: '{config.}' is neither"),
        (
            '"{next}"]',
            '"{next}"]\nsends_out = true',
            "line 12: program.router: args: '{next}': what sends packets out itself",
        ),
        ("node = 0", "node = 0\nshared = true", "line 4: manager.0: cpus: a shared manager needs four"),
        ("node = 0", "node = 0\nsharing = true", "line 10: manager.0.sharing: Extra inputs are not permitted"),
        ('name = "west"', 'name = "../etc"', "line 5: manager.0.name: String should match pattern"),
        ('"/opt/nfs/router"', '"nfs/router"', "line 13: program.router.path: 'nfs/router' is not an absolute path"),
        ("home", 'runtime_dir = "/run/user/1"\nhome', "line 2: runtime_dir: '/run/user/1' does not end in /dpdk"),
    ],
)
def test_what_is_wrong_is_reported_by_its_line_and_field(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert read(tmp_path, GOOD.replace(old, new, 1)).startswith(message)


def test_the_line_is_that_of_the_right_table(tmp_path: Path) -> None:
    """Keys of two managers have the same names; a missing key is reported with the line of its table."""
    second = GOOD.partition("[program")[0].partition("[[manager]]")[2].replace("west", "east").replace("p0", "p1")
    text = GOOD + "# one more\n[[ manager ]]" + second.replace("4-7,9", "no")
    assert read(tmp_path, text).startswith("line 19: manager.1.nf_cpus: 'no' is neither")
    assert read(tmp_path, GOOD + '[program."nids"]\nargs = []\n').startswith(
        "line 15: program.nids.path: Field required"
    )
    assert read(tmp_path, 'home = "/o"\nmanager = [{name = "west"}]').startswith("manager.0.cpus: Field required")
    assert "(at line 5, column 8)" in read(tmp_path, GOOD.replace('"west"', "west"))


def test_what_became_of_the_file_since_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "opennetvm.toml"
    path.write_text(GOOD)
    watch = FileWatch(path, read_installation(path))
    assert watch.news() is None
    path.write_text(f"# a word more\n{GOOD}")
    assert watch.news() is None, "it says the same"
    path.write_text(GOOD.replace("node = 0", "node = 1"))
    assert watch.news() == (
        f"{path} was changed, and this agent goes on by what it read before: restart the agent, which ends nothing that"
        " runs"
    )
    path.write_text(GOOD.replace("node = 0", "node = -1"))
    reported = watch.news() or ""
    assert reported.startswith(
        f"{path}: line 9: manager.0.node: Input should be greater than or equal to 0; this agent goes"
    )
    assert reported.endswith("but would not start again: fix the file before a restart")
    path.unlink()
    assert "No such file" in (watch.news() or "")
    path.write_text(GOOD)
    assert watch.news() is None


def test_managers_share_nothing_that_is_one_ones(tmp_path: Path) -> None:
    second = GOOD.partition("[program")[0].partition("[[manager]]")[2]
    assert read(tmp_path, GOOD + "[[manager]]" + second) == "manager: two have the name 'west'"
    second = second.replace("west", "east")
    assert read(tmp_path, GOOD + "[[manager]]" + second) == "manager: two have the port 'p0'"
    second = second.replace("p0", "p1").replace("4-7,9", "12-13")
    reported = read(tmp_path, GOOD + "[[manager]]" + second.replace("0000:3b", "3B"))
    assert reported == "manager: 'west' and 'east' both have the card 0000:3b:00.0"
    second = second.replace("3b:", "5e:").replace("12-13", "4-7,9")
    assert read(tmp_path, GOOD + "[[manager]]" + second) == "manager: 'west' and 'east' both give NFs CPU 4"


def test_a_file_that_is_none_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadInstallation, match=r"nowhere\.toml: No such file"):
        read_installation(tmp_path / "nowhere.toml")
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(BadInstallation, match=r"pipe\.toml: is no file"):
        read_installation(tmp_path / "pipe.toml")
    assert "Expected '='" in read(tmp_path, "home")
    assert read(tmp_path, "#" * 65_537).startswith("larger than 65536 bytes")
