"""A Gaussian process on file: the same after a way over JSON, and refused where it was altered."""

import pytest
from pydantic import ValidationError
from sextant_domain.profiling.model import LocalRemote
from sextant_domain.profiling.process import ProcessFit, ProcessModel, ProcessSample, ProcessShape

FIT = ProcessFit(
    nf_type="router",
    host_model="m1",
    version="1",
    shape=ProcessShape(level=0.1, bend=0.2, slope=0.05, lengths=(1, 1, 1, 1, 1), shared=0.5),
    ideal_mpps=LocalRemote(local=10, remote=8),
    references=0.3,
    average_mpps=4,
    samples=(ProcessSample(role="head", load=(1, 2, 3, 0, 0), drop=0.02, variance=1e-4),),
)


def test_a_process_is_the_same_after_a_way_over_json() -> None:
    model = ProcessModel.of(FIT)
    assert ProcessModel.model_validate_json(model.model_dump_json()) == model


def test_a_process_that_was_altered_is_refused_with_the_next_step() -> None:
    altered = ProcessModel.of(FIT).model_dump_json().replace('"drop":0.02', '"drop":0.01')
    with pytest.raises(ValidationError, match=r"router .1. is not what was stored.*fit the host model again"):
        ProcessModel.model_validate_json(altered)
