"""What a start leaves out, and that it is there again afterwards."""

import gc
import sys
from importlib import import_module

import pytest
from pydantic import BaseModel
from sextant_domain.loading import loading


def test_rich_is_not_to_be_had_while_a_process_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Afterwards it is: Typer imports it when somebody presses Ctrl-C."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    with loading(), pytest.raises(ImportError):
        import_module("rich")
    assert import_module("rich").__name__ == "rich"


def test_who_has_rich_already_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    there = import_module("rich")
    with loading():
        assert import_module("rich") is there
    assert sys.modules["rich"] is there


def test_models_of_others_are_built_when_they_first_validate() -> None:
    with loading():

        class Late(BaseModel):
            number: int

        assert not Late.__pydantic_complete__

    class AtOnce(BaseModel):
        number: int

    assert AtOnce.__pydantic_complete__
    assert Late.model_validate({"number": "3"}).number == 3
    assert Late.__pydantic_complete__


def test_all_is_as_before_where_an_import_fails() -> None:
    with pytest.raises(ModuleNotFoundError), loading():
        import_module("there_is_no_such_module")
    assert "defer_build" not in BaseModel.model_config
    assert gc.isenabled()
