"""One tree; every error survives pickling (they cross Ray processes) and says value, place and fix."""

import inspect
import pickle

import pytest

from scopeif import errors

ALL = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, errors.ScopeIFError)]


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_pickles_with_place_and_fix(cls):
    error = cls("lower bound 3 is above upper bound 1", place="row 7", fix="swap them")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is cls
    assert str(again) == str(error) == "row 7: lower bound 3 is above upper bound 1\n  fix: swap them"
    assert (again.place, again.fix) == ("row 7", "swap them")


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_the_docstring_draws_the_class(cls):
    assert cls.__name__ in errors.__doc__


def test_wrong_input_is_a_value_error():
    assert issubclass(errors.DataError, ValueError)
    assert not issubclass(errors.ResourceError, ValueError)
