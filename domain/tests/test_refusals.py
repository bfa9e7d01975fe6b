"""What is wrong with a value, in plain words."""

from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError, field_validator
from sextant_domain.base import Frozen, Name, StrictFloat, StrictInt
from sextant_domain.refusals import cause_of


class Sent(Frozen):
    """One field of each kind."""

    count: Annotated[StrictInt, Field(ge=1, le=3600)] = 1
    share: Annotated[StrictFloat, Field(gt=0, lt=1.5)] = 1.0
    names: Annotated[tuple[Name, ...], Field(min_length=1, max_length=2)] = ("a",)
    text: Annotated[str, Field(min_length=1, max_length=3)] = "a"
    mode: Literal["manual", "automatic"] = "manual"
    within: dict[str, int] = Field(default_factory=dict)

    @field_validator("mode")
    @classmethod
    def _known(cls, mode: str) -> str:
        if mode == "automatic":
            raise ValueError("is not allowed here: choose manual")
        return mode


@pytest.mark.parametrize(
    ("sent", "cause"),
    [
        ({"count": 0}, "must be at least 1"),
        ({"count": 3601}, "must be at most 3600"),
        ({"count": True}, "must be a whole number"),
        ({"count": 1.5}, "must be a whole number"),
        ({"share": 0}, "must be more than 0"),
        ({"share": 1.5}, "must be less than 1.5"),
        ({"share": "1"}, "must be a number"),
        ({"share": float("nan")}, "must be a finite number"),
        ({"names": []}, "needs 1 or more entries"),
        ({"names": ["a", "b", "c"]}, "has too many entries: 2 at most"),
        ({"names": "a"}, "must be a list"),
        ({"names": ["../etc", "b"]}, "must match ^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"),
        ({"text": ""}, "needs 1 or more characters"),
        ({"text": "abcd"}, "has too many characters: 3 at most"),
        ({"text": 1}, "must be text"),
        ({"mode": "auto"}, "must be 'manual' or 'automatic'"),
        ({"mode": "automatic"}, "is not allowed here: choose manual"),
        ({"within": []}, "must be an object of named values"),
        ({"extra": 1}, "is unknown: remove it"),
        ([], "must be an object of named values"),
    ],
)
def test_a_cause_says_what_a_value_must_be(sent: object, cause: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Sent.model_validate(sent)
    assert cause_of(refused.value.errors()[0]) == cause


def test_what_is_no_json_is_said_to_be_none() -> None:
    with pytest.raises(ValidationError) as refused:
        Sent.model_validate_json(b"{")
    assert cause_of(refused.value.errors()[0]).startswith("is not JSON: EOF while parsing")
