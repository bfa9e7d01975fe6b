"""What is read of strangers' headers, under the address and undefined-behaviour sanitizers: any bytes at the decoder,
frames of any content at the sink. The programs in the kernel have theirs in test_hostile.c."""

from pathlib import Path

import pytest

from dataplane.tests.sanitizing import replay, sanitized_build

PROJECT = Path(__file__).resolve().parents[1]
MUTATIONS = {"decode": 200_000, "stamp": 200_000}


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    log = tmp_path_factory.mktemp("sanitized") / "log"
    return sanitized_build(PROJECT, log, *(f"fuzz/fuzz-{name}" for name in MUTATIONS))


@pytest.mark.parametrize("name", MUTATIONS)
def test_no_sanitizer_speaks(sanitized: Path, tmp_path: Path, name: str) -> None:
    replay(sanitized, PROJECT / "fuzz" / "corpus" / name, MUTATIONS[name], tmp_path)
