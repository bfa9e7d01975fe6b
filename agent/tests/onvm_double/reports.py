"""The files in `../onvm_web` that a manager cuts to nothing and writes again in every period: figures as CSV and as
JSON, and all events since it started."""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO, TypeAlias

from .memory import Slot
from .settings import Settings
from .traffic import Port

FOLDER = Path("../onvm_web")
BURST = 32
"""The largest; 7 has no part in common with it, so that all sizes come."""
GOLDEN = 0.6180339887
"""Its multiples, without what is before the point, are spread more evenly than chance would."""
Json: TypeAlias = "str | int | Sequence[Json] | Object"


class Object(list[tuple[str, "Json"]]):
    """Pairs: a key may come twice, as labels of instances from 100 do."""


class Reports:
    def __init__(self) -> None:
        """Raises OSError where there is no such folder."""
        self._stats, self._json, self._events = (
            (FOLDER / name).open("w") for name in ("onvm_stats.txt", "onvm_json_stats.json", "onvm_json_events.json")
        )
        self._happened: list[Json] = []
        self._last: dict[object, Sequence[int]] = {}
        self._written = 0

    def event(self, message: str, source: Object) -> None:
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        self._happened.append(Object([("timestamp", now), ("message", message), ("source", source)]))

    def write(self, ports: dict[int, Port], nfs: Sequence[tuple[int, Slot, bool]], period: int, now: Settings) -> None:
        """`nfs`: id, figures, whether it sleeps now."""
        self._written += 1
        stamp = time.strftime("%Y-%m-%d %H:%M:%S")
        lines, port_figures, nf_figures = [], Object(), Object()
        for number, port in ports.items():
            rx, tx = self._rates(("port", number), (port.rx, port.tx), period)
            lines.append(",".join(map(str, (stamp, number, port.rx, rx, port.tx, tx))))
            label = f"Port {number}"[:7]
            port_figures.append((label, Object([("Label", label), ("RX", rx), ("TX", tx)])))
        for instance, slot, sleeps in nfs:
            totals = (slot.rx, slot.tx, slot.rx_drop, slot.tx_drop, slot.wakeups)
            rx, tx, rx_drop, tx_drop, wakeups = self._rates(("nf", instance), totals, period)
            tag = slot.tag.decode()
            act_out, act_tonf, act_drop = self._acts(instance, slot, in_hand=now.in_hand)
            lines.append(",".join(map(str, (
                stamp, tag, instance, slot.service, slot.core, 0, "S" if sleeps else "W", 0,
                slot.rx, slot.tx, rx, tx, slot.rx_drop, slot.tx_drop, rx_drop, tx_drop,
                act_out, act_tonf, act_drop, slot.act_next, slot.act_buffer, slot.act_returned,
                slot.wakeups, wakeups,
            ))))  # fmt: skip
            label = f"NF {instance}"[:5]
            nf_figures.append((label, Object([
                ("Label", label), ("RX", rx), ("TX", tx), ("TX_Drop_Rate", tx_drop), ("RX_Drop_Rate", rx_drop),
                ("service_id", slot.service), ("instance_id", instance), ("core", slot.core),
            ])))  # fmt: skip
        updated = time.strftime("%a %b %e %H:%M:%S %Y\\n")
        figures = Object([("last_updated", updated), ("onvm_port_stats", port_figures), ("onvm_nf_stats", nf_figures)])
        _rewrite(self._stats, "".join(f"{line}\n" for line in lines), now)
        _rewrite(self._json, f"{_print(figures, 0)}\n", now)
        _rewrite(self._events, f"{_print(self._happened, 0)}\n", now)

    def _rates(self, what: object, totals: Sequence[int], period: int) -> list[int]:
        """Since the last period; those of an NF whose id had another before it begin at zero again."""
        before = self._last.get(what, [0] * len(totals))
        self._last[what] = totals
        return [(now - (was if now else 0)) // period for now, was in zip(totals, before, strict=True)]

    def _acts(self, instance: int, slot: Slot, *, in_hand: bool) -> list[int]:
        """What it has done with packets, but for a burst that it has in hand. It has one at as many writings as its
        packets take of its time, evenly spread."""
        acts = [slot.act_out, slot.act_tonf, slot.act_drop]
        before = self._last.get(("acts", instance), acts)
        self._last["acts", instance] = acts
        since = [now - was for now, was in zip(acts, before, strict=True)]
        most = since.index(max(since))
        if in_hand and self._written * GOLDEN % 1.0 < slot.needs / 1000:
            burst = min(1 + self._written * 7 % BURST, since[most])
            return [act - (burst if place == most else 0) for place, act in enumerate(acts)]
        return acts

    def close(self) -> None:
        for file in (self._stats, self._json, self._events):
            file.close()


def _rewrite(file: TextIO, text: str, now: Settings) -> None:
    """In the same file, in two pieces. What a full disk refuses is lost without a word."""
    file.seek(0)
    file.truncate()
    file.flush()
    if now.disk_full:
        return
    if now.write_pause_s:
        file.write(text[: len(text) // 2])
        file.flush()
        time.sleep(now.write_pause_s)
        text = text[len(text) // 2 :]
    file.write(text)
    file.flush()


def _print(value: Json, depth: int) -> str:
    """With tabs, an object's closing brace at its own depth."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Object):
        inner = "\t" * (depth + 1)
        pairs = ",\n".join(f'{inner}"{key}":\t{_print(each, depth + 1)}' for key, each in value)
        return f"{{\n{pairs}{chr(10) if pairs else ''}{chr(9) * depth}}}"
    return f"[{', '.join(_print(each, depth + 1) for each in value)}]"


def nf_source(slot: Slot, instance: int) -> Object:
    return Object([
        ("type", slot.tag.decode()), ("instance_id", instance), ("service_id", slot.service), ("core", slot.core),
    ])  # fmt: skip


def events_before_the_first(ports: Iterable[int], lcores: Sequence[int]) -> list[tuple[str, Object]]:
    """A master, TX threads, then RX; what the RX thread says of its core is nonsense in OpenNetVM too."""
    found = [(f"Port {number} initialized", Object([("type", "MGR")])) for number in ports]
    found.append(("MGR Start", Object([("core", lcores[0])])))
    found += [("Tx Start", Object([("core", lcore)])) for lcore in lcores[1:-1]]
    return [*found, ("Rx Start", Object([("core", 0x80000 | lcores[-1])]))]
