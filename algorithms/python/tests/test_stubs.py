"""Stubs have the parameters and defaults of the functions."""

import ast
import inspect
import pathlib

import pytest

import raddle.lasso
import raddle.lda
import raddle.linear
import raddle.mf


def stubs(module):
    tree = ast.parse(pathlib.Path(module.__file__).with_suffix(".pyi").read_text())
    return {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def parameters(function):
    """Return names and defaults of a function's stub."""
    given = function.args
    plain = [None] * (len(given.args) - len(given.defaults)) + given.defaults
    pairs = [*zip(given.args, plain), *zip(given.kwonlyargs, given.kw_defaults)]
    return {name.arg: None if value is None else ast.literal_eval(value) for name, value in pairs}


@pytest.mark.parametrize("name", raddle.lasso.__all__)
def test_a_stub_has_the_parameters_of_what_it_stands_for(name):
    stub, found = stubs(raddle.lasso)[name], getattr(raddle.lasso, name)
    if name == "LassoPath":
        fields = [node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)]
        assert fields == list(inspect.signature(found).parameters)
        return
    if isinstance(stub, ast.ClassDef):
        stub = next(node for node in stub.body if getattr(node, "name", "") == "__init__")
        found = found.__init__
    expected = {
        name: None if each.default is inspect.Parameter.empty else each.default
        for name, each in inspect.signature(found).parameters.items()
        if each.kind is not inspect.Parameter.VAR_KEYWORD
    }
    assert parameters(stub) == expected


@pytest.mark.parametrize("name", raddle.linear.__all__)
def test_a_stub_of_a_classifier_has_its_parameters_and_methods(name):
    found = getattr(raddle.linear, name)
    stub = members(stubs(raddle.linear), name)
    assert parameters(stub["__init__"]) == defaults(found.__init__)
    ours = [each for each in found.__mro__ if each.__module__.startswith("raddle.linear")]
    public = {method for each in ours for method in vars(each) if not method.startswith(("_", "set_"))}
    assert set(stub) == public | {"__init__"}
    for method in public:
        assert parameters(stub[method]) == defaults(getattr(found, method)), method


def members(of_all, name):
    """Return the methods of a class's stub, with those of its bases; the first base has the last word."""
    found = {}
    for base in reversed(of_all[name].bases):
        if getattr(base, "id", None) in of_all:
            found |= members(of_all, base.id)
    return found | {node.name: node for node in of_all[name].body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("name", raddle.mf.__all__)
def test_a_stub_has_the_methods_of_a_factorization(name):
    stub, found = stubs(raddle.mf)[name], getattr(raddle.mf, name)
    methods = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
    public = {method for method in vars(found) if not method.startswith("_")} | {"__init__"}
    assert set(methods) == public
    for method, node in methods.items():
        if isinstance(vars(found)[method], property):
            continue
        own = vars(found)[method]
        given = inspect.signature(getattr(own, "__func__", own)).parameters.items()
        expected = {name: None if each.default is inspect.Parameter.empty else each.default for name, each in given}
        assert parameters(node) == expected, method


@pytest.mark.parametrize("name", raddle.lda.__all__)
def test_a_stub_of_topics_has_the_methods_and_their_parameters(name):
    stub, found = stubs(raddle.lda)[name], getattr(raddle.lda, name)
    if isinstance(stub, ast.FunctionDef):
        assert parameters(stub) == defaults(found)
        return
    if name == "Coherence":
        assert [node.target.id for node in stub.body] == list(found._fields)
        return
    methods = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
    # Others are scikit-learn's, such as `set_fit_request`.
    public = {method for method in vars(found) if not method.startswith(("_", "set_"))}
    assert set(methods) == public | {"__init__"}
    for method, node in methods.items():
        if not isinstance(vars(found)[method], property):
            assert parameters(node) == defaults(getattr(found, method)), method


def defaults(function):
    """Return names and defaults of a function's parameters."""
    given = inspect.signature(function).parameters.items()
    return {name: None if each.default is inspect.Parameter.empty else each.default for name, each in given}
