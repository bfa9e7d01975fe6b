"""An NF: asks its manager for an id, works in a thread of its own on one CPU, and says goodbye."""

import getopt
import os
import resource
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from .eal import Eal, EalRefused, Options, parse, says, split, start_primary, start_secondary
from .kernel import Semaphore, SleepFlag, look_like, sleeping_thread, spin
from .memory import (
    CORE_BUSY,
    CORE_OUT_OF_RANGE,
    ID_CONFLICT,
    LPM_MESSAGE,
    MAX_LCORES,
    NO_CORES,
    NO_DEDICATED_CORES,
    NO_ID,
    NO_IDS,
    READY_MESSAGE,
    RUNNING,
    SERVICE_COUNT_MAX,
    SERVICE_MAX,
    STARTING,
    STARTING_MESSAGE,
    STOPPING_MESSAGE,
    TAG_BYTES,
    WAITING_FOR_ID,
    Request,
    Slot,
)
from .programs import PROGRAMS, Died, Program, Refused, number
from .programs import parse as parse_own
from .settings import read_settings

TICK_S = 0.02
"""Of the packet thread, in real time."""
WAITS_WITHOUT_MANAGER = 3
SUMMARY_S = 1.5
"""From SIGTERM to the end of an NF that had packets."""
_REFUSALS = {
    ID_CONFLICT: "Selected ID already in use. Exiting...",
    SERVICE_MAX: "Service ID must be less than 32",
    SERVICE_COUNT_MAX: "Maximum amount of NF's per service spawned, must be less than 32",
    NO_IDS: "There are no ids available for this NF",
    NO_CORES: "There are no cores available for this NF",
    NO_DEDICATED_CORES: "There is no space to assign a dedicated core, or the selected core has NFs running",
    CORE_OUT_OF_RANGE: "Requested core is not enabled or not in range",
    CORE_BUSY: "Requested core is busy",
}


class Nf:
    """One process. Its steps are those of `main`."""

    def __init__(self, home: Path, binary: str, words: list[str]) -> None:
        self.home, self.binary, self.words = home, binary, words
        self.settings = read_settings(home)
        self.name = Path(binary).name
        self.program: Program = PROGRAMS[self.name]
        self.asked_to_end = False
        self.lost_sigterm = False
        self.instance = 0
        self.semaphore: Semaphore | None = None
        self.flag: SleepFlag | None = None

    def main(self) -> NoReturn:
        if self.name in self.settings.missing_library:
            library = "librte_eal.so.23: cannot open shared object file: No such file or directory"
            says(f"{self.binary}: error while loading shared libraries: {library}")
            os._exit(127)
        for signum in (signal.SIGTERM, signal.SIGINT):
            signal.signal(signum, self._signalled)
        print("[Press Ctrl-C to quit ...]")
        eal_words, rest = split(self.words)
        nflib_words, own_words = split(rest)
        self._attach(eal_words)
        print("cur_index:1, action:2, destination:1\n")
        self._ask(nflib_words)
        self._parse_own(own_words)
        self._work()
        self._goodbye()
        print("If we reach here, program is ending")
        self._end(0)

    def _attach(self, words: list[str]) -> None:
        try:
            options = parse(self.binary, words)
            if options.primary:  # as DPDK takes it without --proc-type: if nobody is there, it is alone
                start_primary(self.settings, options)[0].exit_failed("No NF Info mempool - bye")
            self.eal, self.memory = start_secondary(self.settings, options)
        except EalRefused:
            Eal(self.settings, Options([]), Path()).exit_failed("Failed ONVM init")
        cpus = set(options.lcores[options.main_lcore])
        others = os.sched_getaffinity(0) - cpus or cpus
        os.sched_setaffinity(0, cpus)
        sleeping_thread("eal-intr-thread", others)
        sleeping_thread("rte_mp_handle", others)

    def _ask(self, words: list[str]) -> None:
        entry = self.memory.take_request()
        if entry is None:
            self.eal.exit_failed("Failed to get nf nf_init_cfg memory")
        request: Request = self.memory.shared.requests[entry]
        request.instance, request.service, request.core = NO_ID, 0, self.eal.options.main_lcore
        request.manual = request.share = request.time_to_live = request.packet_limit = 0
        request.tag, request.status = self.program.tag[: TAG_BYTES - 1].encode(), WAITING_FOR_ID
        self._parse_library(words, request)
        self.memory.send(STARTING_MESSAGE, entry)
        says("APP: Waiting for manager to assign an ID...")
        while request.status == WAITING_FOR_ID:
            self._sleep(1)
            if self.asked_to_end:
                self._end_before_id(request)
        status, self.instance = request.status, request.instance
        self.memory.give_back(entry)
        if status != STARTING:
            print(_REFUSALS.get(status, "Error occurred during manager initialization"))
            self.eal.exit_failed("Failed ONVM init")
        self._settle()

    def _parse_library(self, words: list[str], request: Request) -> None:
        """A service id that is 0 or missing is refused later, as too large."""
        try:
            given, _ = getopt.getopt(words, "n:r:t:l:ms")
        except getopt.GetoptError as error:
            print(f"Usage: {self.binary} [EAL args] -- [-n <instance_id>] [-r <service_id>] ...\n")
            says(
                f"Option -{error.opt} requires an argument." if error.opt == "n" else f"Unknown option `-{error.opt}'."
            )
            self.eal.exit_failed("Invalid command-line arguments")
        options = dict(given)
        request.instance = number(options["-n"]) if "-n" in options else NO_ID
        request.service = number(options.get("-r", "0")) or NO_ID
        for option, field, what in (
            ("-t", "time_to_live", "Time to live"),
            ("-l", "packet_limit", "Packet time to live"),
        ):
            if option in options:
                setattr(request, field, number(options[option]))
                if getattr(request, field) == 0:
                    says(f"{what} argument can't be 0")
                    self.eal.exit_failed("Invalid command-line arguments")
        request.manual, request.share = int("-m" in options), int("-s" in options)

    def _end_before_id(self, request: Request) -> NoReturn:
        for _ in range(WAITS_WITHOUT_MANAGER):
            if request.status == STARTING:
                self.instance = request.instance
                self._goodbye()
                break
            print("Waiting for onvm_mgr to recieve the message before shutting down")
            self._sleep(1)
        print("Exiting due to user termination")
        self._end(0)

    @property
    def slot(self) -> Slot:
        return self.memory.slots[self.instance]

    def _settle(self) -> None:
        slot = self.slot
        self._complain(slot)
        slot.pid, slot.lcore = os.getpid(), self.eal.options.main_lcore
        slot.cost_ns = self.settings.cost_ns.get(self.name, self.program.cost_ns)
        slot.dropped_percent = self.settings.dropped_percent.get(self.name, 0)
        slot.sends_out = int(self.program.sends_out)
        if self.memory.shared.shared_cores:
            says("APP: Shared CPU support enabled")
            self.semaphore = Semaphore(self.instance, create=False)
            self.flag = SleepFlag(self.instance, create=False)
        says(f"APP: Using Instance ID {self.instance}\nAPP: Using Service ID {slot.service}")
        says(f"APP: Running on Socket 0, Core {slot.core}\nAPP: Finished Process Init.")

    def _complain(self, slot: Slot) -> None:
        """Of what OpenNetVM punishes later and without a word."""
        lcore = self.eal.options.main_lcore
        wrong = []
        if lcore < MAX_LCORES and self.memory.shared.manager_lcores[lcore]:
            wrong.append(f"lcore {lcore} is one of the manager's")
        for other in self.memory.running():
            found = self.memory.slots[other]
            if found.lcore == lcore and Path(f"/proc/{found.pid}").exists():
                wrong.append(f"lcore {lcore} is NF {other}'s too")
            if _folder(found.pid) == Path.cwd():
                wrong.append(f"its folder is NF {other}'s too")
        if wrong:
            with (self.home / "complaints").open("a") as file:
                file.writelines(f"{self.name} {self.instance}: {what}\n" for what in wrong)

    def _parse_own(self, words: list[str]) -> None:
        try:
            next_services = parse_own(self.program, words, lambda text: says(f"APP: {text}"))
        except Refused:
            self._goodbye()
            self.eal.exit_failed("Invalid command-line arguments")
        except Died as died:
            self.eal.exit_failed(str(died))
        for place, service in enumerate((*next_services, 0, 0, 0, 0)[:4]):
            self.slot.next_services[place] = service
        if self.program.asks_for_table:
            self.slot.lpm_waits = 1
            self.memory.send(LPM_MESSAGE, self.instance)
            while self.slot.lpm_waits:
                self._sleep(1)

    def _work(self) -> None:
        thread = threading.Thread(target=self._packet_thread, daemon=True)
        thread.start()
        thread.join()

    def _packet_thread(self) -> None:
        """The last that this process creates."""
        slot, own = self.slot, threading.get_native_id()
        with suppress(OSError):
            os.sched_setaffinity(own, {slot.core})
        slot.thread = own
        print("Sending NF_READY message to manager...")
        self.memory.send(READY_MESSAGE, self.instance)
        while slot.status != RUNNING:
            self._sleep(1)
        began = time.monotonic()
        while not self.asked_to_end:
            if self.memory.shared.wedged and slot.waiting:
                spin()
            self._burn()
            if slot.overwritten:
                self._die(signal.SIGSEGV)
            if slot.stop:
                says("APP: Shutting down...")
                break
            if slot.time_to_live and time.monotonic() - began >= slot.time_to_live * self.settings.time:
                print("Time to live exceeded, shutting down")
                break
            if slot.packet_limit and slot.rx >= slot.packet_limit * 1_000_000:
                print("Packet limit exceeded, shutting down")
                break

    def _burn(self) -> None:
        """Takes its share of a tick, then sleeps: in shared mode until the manager sees packets in its ring."""
        sharing = self.semaphore is not None
        share = self.settings.duty * (self.slot.needs / 1000 if sharing else 1)
        until = time.thread_time() + TICK_S * share
        while time.thread_time() < until:
            pass
        if self.semaphore is None or self.flag is None:
            time.sleep(TICK_S * (1 - share))
            return
        self.flag.sleeps = True
        if not self.asked_to_end:
            self.semaphore.wait()

    def _goodbye(self) -> None:
        """Figures to the screen and into its folder, then a word to the manager."""
        if self.eal.config_epoch() != self.eal.epoch:
            self._die(signal.SIGFPE)
        if self.slot.needs:
            if self.settings.wedge_on_manager_death and not Path(f"/proc/{self.memory.shared.manager_pid}").exists():
                threading.Event().wait()
            self._sleep(SUMMARY_S)
        slot, tag = self.slot, self.program.tag
        rows = [
            ("NF tag", tag), ("NF instance ID", self.instance), ("NF service ID", slot.service),
            ("NF assigned socket", 0), ("NF assigned core", slot.core), ("RX total", slot.rx),
            ("RX total dropped", slot.rx_drop), ("TX total", slot.tx), ("TX total dropped", slot.tx_drop),
            ("NF sent out", slot.act_out), ("NF sent to NF", slot.act_tonf), ("NF dropped", slot.act_drop),
            ("NF next", slot.act_next), ("NF tx buffered", slot.act_buffer), ("NF tx returned", slot.act_returned),
        ]  # fmt: skip
        print("\33[2J\33[1;1HNF Activity summary\n" + "-" * 52)
        print("\n".join(f"{name}: {value}" for name, value in rows) + "\n")
        try:
            header, values = (", ".join(str(row[column]) for row in rows) for column in (0, 1))
            Path(f"{tag}_stats.csv").write_text(f"{header}\n{values}\n")
            print(f"CSV file written to {tag} directory")
        except OSError:
            print("Error: Could not open csv_stats file")
        self.memory.send(STOPPING_MESSAGE, self.instance)

    def _signalled(self, *_: object) -> None:
        if read_settings(self.home).lose_first_sigterm and not self.lost_sigterm:
            self.lost_sigterm = True
            return
        self.asked_to_end = True
        if self.semaphore is not None and self.flag is not None and self.flag.sleeps:
            self.flag.sleeps = False
            self.semaphore.post()

    def _sleep(self, seconds: float) -> None:
        """A signal ends it early, as C's."""
        until = time.monotonic() + seconds * self.settings.time
        was = self.asked_to_end
        while time.monotonic() < until and self.asked_to_end == was:
            time.sleep(min(0.01, max(0.0, until - time.monotonic())))

    def _die(self, signum: int) -> NoReturn:
        os.kill(os.getpid(), signum)
        threading.Event().wait()
        raise AssertionError

    def _end(self, status: int) -> NoReturn:
        """Without DPDK's own clearing up: the files of this process stay."""
        sys.stdout.flush()
        os._exit(status)


def _folder(pid: int) -> Path | None:
    try:
        return Path(f"/proc/{pid}/cwd").readlink()
    except OSError:
        return None


def run(home: str) -> NoReturn:
    """What the program of an NF calls."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    binary = str(Path(sys.argv[0]))
    look_like(binary, sys.argv[1:])
    Nf(Path(home), binary, sys.argv[1:]).main()
