"""The widget of a notebook: it carries the scene, and a click on it steps the environment."""

import copy
import pickle
import sys
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import parlour.envs
from parlour.envs.interfaces.wrappers import DictObservation

pytest.importorskip("anywidget", reason="needs the extra widget")


def open_widget(name: str = "parlour/Pyramid-v0", **keywords: Any) -> tuple[Any, Any]:
    assert parlour.envs
    env: Any = gym.make(name, **keywords)
    env.reset(seed=3)
    return env.unwrapped, env.unwrapped.widget()


def click(widget: Any, action: Any) -> None:
    """What a browser sends."""
    widget._handle_custom_msg({"do": "click", "action": action}, [])


def legal(env: Any) -> int:
    return int(np.flatnonzero(env.action_masks())[0])


@pytest.mark.parametrize("name", ["Pyramid", "PokerSquares", "PussInTheCorner", "SevenTwentySeven"])
def test_the_state_carries_the_scene_and_a_click_steps(name: str) -> None:
    env, widget = open_widget(f"parlour/{name}-v0")
    state = widget.get_state()
    assert state["scene"] == env.scene().to_dict()
    assert set(state["art"]) == {"light", "dark"}
    assert "export default" in str(state["_esm"])
    click(widget, legal(env))
    assert widget.get_state()["scene"] == env.scene().to_dict() != state["scene"]


def test_illegal_clicks_change_nothing() -> None:
    env, widget = open_widget()
    before, masks = widget.get_state()["scene"], env.action_masks()
    for action in (int(np.flatnonzero(~masks)[0]), -1, 999, "22", None, 3.0):
        click(widget, action)
    widget._handle_custom_msg("nonsense", [])
    assert widget.get_state()["scene"] == before


def test_it_follows_other_code_and_is_over_at_the_end() -> None:
    env, widget = open_widget()
    before, start = widget.get_state()["scene"], env.clone()
    env.step(legal(env))
    assert widget.get_state()["scene"] == env.scene().to_dict() != before
    env.restore(start)
    assert widget.get_state()["scene"] == before
    env.reset(seed=4)
    assert widget.get_state()["scene"] == env.scene().to_dict() != before
    for _ in range(300):
        click(widget, legal(env))
    assert "reset" in widget.facts  # the game is over: a click says what to do


def bare(env: Any) -> Any:
    return env


WRAPPED: dict[str, Callable[[Any], Any]] = {
    "bare": bare,
    "dict": DictObservation,
    "time limit": lambda env: gym.wrappers.TimeLimit(env, 50),
}


@pytest.mark.parametrize("wrapper", WRAPPED)
@pytest.mark.parametrize("name", ["Pyramid", "SevenTwentySeven"])
@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_leaves_the_widget_behind(
    name: str, wrapper: str, way: Callable[[Any], Any]
) -> None:
    env = WRAPPED[wrapper](gym.make(f"parlour/{name}-v0"))
    env.reset(seed=3)
    widget = env.unwrapped.widget()
    before = widget.get_state()["scene"]
    other = way(env)
    other.step(legal(other.unwrapped))
    other.reset(seed=9)
    assert widget.get_state()["scene"] == before == env.unwrapped.scene().to_dict()
    assert other.unwrapped.widget().get_state()["scene"] == other.unwrapped.scene().to_dict()
    env.step(legal(env.unwrapped))
    assert widget.get_state()["scene"] == env.unwrapped.scene().to_dict() != before


def test_hidden_cards_are_not_sent() -> None:
    _, widget = open_widget("parlour/SevenTwentySeven-v0")
    hidden = [item for item in widget.scene["items"] if item["face"] == "down"]
    assert hidden
    assert all(item["card"] is None for item in hidden)


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    env, _ = open_widget()
    monkeypatch.delitem(sys.modules, "parlour.envs.render.widget")
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(gym.error.DependencyNotInstalled, match=r"parlour\[notebook\]"):
        env.widget()


@pytest.mark.slow
def test_it_works_in_a_notebook_without_a_display() -> None:
    """The state that the kernel has sent carries the scene, and the module that draws it."""
    nbformat = pytest.importorskip("nbformat")
    from nbclient import NotebookClient

    code = (
        "import gymnasium as gym\nimport parlour.envs\n"
        "env = gym.make('parlour/Pyramid-v0')\n_ = env.reset(seed=3)\nenv.unwrapped.widget()"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    client = NotebookClient(notebook, timeout=300, store_widget_state=True)
    client.execute()
    shown = notebook.cells[0].outputs[-1].data["application/vnd.jupyter.widget-view+json"]
    state = client.widget_state[shown["model_id"]]
    assert len(state["scene"]["items"]) >= 28
    assert "export default" in state["_esm"]
