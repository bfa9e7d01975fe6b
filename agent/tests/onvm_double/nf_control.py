"""What a manager does about NFs: ids, cores and services, by the messages that they send. It never looks whether one
still lives."""

import os
import sys
import threading
from collections.abc import Callable
from typing import NoReturn

from .eal import says
from .memory import (
    CORE_BUSY,
    CORE_OUT_OF_RANGE,
    COUNTERS,
    ID_CONFLICT,
    LPM_MESSAGE,
    MAX_NFS,
    MAX_PER_SERVICE,
    MAX_SERVICES,
    NO_CORES,
    NO_DEDICATED_CORES,
    NO_ID,
    NO_IDS,
    PAUSED,
    READY_MESSAGE,
    RUNNING,
    SERVICE_COUNT_MAX,
    SERVICE_MAX,
    STARTING,
    STARTING_MESSAGE,
    STOPPED,
    STOPPING_MESSAGE,
    WAITING_FOR_ID,
    Memory,
    Request,
)


class NfControl:
    def __init__(self, memory: Memory, event: Callable[[str, int], None]) -> None:
        """`event` is called with what happened to which instance."""
        self.memory, self.event = memory, event
        self.next_id = 1
        self.running = 0
        """As counted; ids of killed NFs are in it."""

    def take_messages(self) -> None:
        for message, number in self.memory.messages():
            if message == STARTING_MESSAGE:
                request = self.memory.shared.requests[number]
                if request.status == WAITING_FOR_ID:
                    request.status = self._start(request)
                    if request.status == STARTING:
                        self.event("NF Starting", request.instance)
            elif message == READY_MESSAGE and self.memory.slots[number].status == STARTING:
                self.memory.slots[number].status = RUNNING
                self.memory.shared.per_service[self.memory.slots[number].service] += 1
                self.running += 1
                self.event("NF Ready", number)
            elif message == STOPPING_MESSAGE and self._stop(number):
                self.event("NF Stopping", number)
            elif message == LPM_MESSAGE:
                self.memory.slots[number].lpm_waits = 0

    def _start(self, request: Request) -> int:
        """The status that answers it. An id is used up even where the NF is refused after it."""
        instance = self._next_id() if request.instance == NO_ID else request.instance
        if instance is None or instance >= MAX_NFS:
            return NO_IDS
        if request.service >= MAX_SERVICES:
            return SERVICE_MAX
        if self.memory.shared.per_service[request.service] >= MAX_PER_SERVICE:
            return SERVICE_COUNT_MAX
        slot = self.memory.slots[instance]
        if slot.status == RUNNING:
            return ID_CONFLICT
        request.instance = instance
        refusal = self._take_core(request)
        if refusal:
            return refusal
        if slot.has_rings:
            _hang(f"Cannot create rx ring queue for NF {instance}")
        slot.has_rings, slot.status, slot.core, slot.service = 1, STARTING, request.core, request.service
        slot.tag, slot.time_to_live, slot.packet_limit = request.tag, request.time_to_live, request.packet_limit
        slot.stop = slot.overwritten = slot.thread = slot.pid = slot.waiting = slot.needs = 0
        return STARTING

    def _next_id(self) -> int | None:
        """Upwards from the last one, then once more from 1."""
        for _ in range(2):
            while self.next_id < MAX_NFS:
                self.next_id += 1
                if self.memory.slots[self.next_id - 1].status != RUNNING:
                    return self.next_id - 1
            self.next_id = 1
        return None

    def _take_core(self, request: Request) -> int:
        """0, or why there is none."""
        shared, cores = self.memory.shared, os.cpu_count() or 1
        if request.manual:
            core = request.core
            if core > cores or core >= 64 or not shared.enabled >> core & 1:
                return CORE_OUT_OF_RANGE
            if shared.dedicated[core]:
                return CORE_BUSY
        else:
            free = [core for core in range(cores) if shared.enabled >> core & 1 and not shared.dedicated[core]]
            if not free:
                return NO_CORES
            core = min(free, key=lambda core: shared.nf_count[core])
        if not request.share:
            if shared.nf_count[core]:
                return NO_DEDICATED_CORES
            shared.dedicated[core] = 1
        shared.nf_count[core] += 1
        request.core = core
        return 0

    def _stop(self, instance: int) -> bool:
        """Of one that never ran, the rings stay: nobody can ever have its id again."""
        slot = self.memory.slots[instance]
        was = slot.status
        if was not in {STARTING, RUNNING, PAUSED}:
            return False
        slot.status = STOPPED
        self.memory.shared.nf_count[slot.core] -= 1
        self.memory.shared.dedicated[slot.core] = 0
        self.memory.give_back(MAX_NFS + instance)
        if was == STARTING:
            return True
        self.running -= 1
        self.memory.shared.per_service[slot.service] -= 1
        slot.has_rings = slot.waiting = slot.needs = 0
        for counter in COUNTERS:
            setattr(slot, counter, 0)
        return True


def _hang(cause: str) -> NoReturn:
    """`rte_exit` in a manager whose other threads run: it waits for them for ever."""
    says(f"RING: Cannot reserve memory\nEAL: Error - exiting with code: 1\n  Cause: {cause}")
    sys.stdout.flush()
    while True:
        threading.Event().wait(3600)
