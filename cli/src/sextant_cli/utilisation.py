"""How full NFs, cores and hosts are, as texts: a figure, or the bound where only that is known."""

from collections.abc import Iterable
from dataclasses import dataclass

from sextant_domain.hosts.telemetry import LoadBasis, NfSample

from sextant_cli.figures import NONE, percent


@dataclass(frozen=True, slots=True, order=True)
class Utilised:
    """Per cent of a core's time. `sign`: '>=' of what it is at least, '<=' of what it is at most."""

    value: float
    sign: str = ""

    def __str__(self) -> str:
        return f"{self.sign} {percent(self.value)}".strip()


def of_nf(sample: NfSample | None) -> Utilised | None:
    """None where nothing is reported."""
    if sample is None:
        return None
    if sample.utilisation_percent is not None:
        return Utilised(sample.utilisation_percent, "<=" if sample.utilisation_basis is LoadBasis.CPU_TIME else "")
    low = sample.utilisation_low_percent
    return None if low is None else Utilised(low, ">=")


def of_core(samples: Iterable[NfSample | None]) -> Utilised | None:
    """Of all its NFs together; None where there is none, one reports nothing, or bounds of both kinds meet."""
    found = [of_nf(sample) for sample in samples]
    reported = [each for each in found if each is not None]
    signs = {each.sign for each in reported} - {""}
    if not reported or len(reported) < len(found) or len(signs) > 1:
        return None
    return Utilised(sum(each.value for each in reported), *signs)


def of_fullest(samples: Iterable[NfSample | None]) -> Utilised | None:
    """Of the fullest NF among those that report it."""
    return max(filter(None, map(of_nf, samples)), default=None)


def text(utilised: Utilised | None) -> str:
    """'25 %', '>= 25 %', '<= 25 %'; '-' where nothing is reported."""
    return NONE if utilised is None else str(utilised)
