"""Messages from a browser: an invalid one is refused with field, value and allowed values."""

import json

import pytest

from parlour.envs import GAMES
from parlour.page.messages import MESSAGES, Refusal, read_message
from tests.page.malformed import GOOD, malformed


@pytest.mark.parametrize("do", MESSAGES)
def test_a_good_message_is_read(do: str) -> None:
    assert read_message(json.dumps({"do": do, **GOOD[do]})) == (do, GOOD[do])


@pytest.mark.parametrize("name", GAMES)
def test_every_action_of_a_game_can_be_sent(name: str) -> None:
    sent = {"action": GAMES[name].actions - 1, "start": None}
    assert read_message(json.dumps({"do": "click", **sent})) == ("click", sent)


def test_what_may_be_left_out_has_a_default() -> None:
    _, fields = read_message('{"do": "new", "game": "pyramid"}')
    assert fields == {
        **{"game": "pyramid", "variant": None, "options": {}, "deal": None},
        **{"winnable": False, "seat": None, "opponents": []},
    }


@pytest.mark.parametrize("text", malformed(500))
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_message(text)
    output = refused.value.to_dict()
    assert output["kind"] == "refused"
    assert output["field"] and output["allowed"]
    assert len(json.dumps(output)) < 2000
    json.dumps(output, ensure_ascii=False).encode()  # no half of a character


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ('{"do": "click", "action": "3"}', "action must be an integer from 0 to 254, got '3'"),
        (
            '{"do": "click", "action": 3, "by": 1}',
            "by must be one of the fields do, action, start, got 1",
        ),
        ('{"do": "new", "game": "whist"}', "game must be one of pyramid, "),
        ('{"do": "click"}', "action must be an integer from 0 to 254, got None"),
    ],
)
def test_a_refusal_names_field_value_and_what_is_allowed(text: str, output: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_message(text)
    assert str(refused.value).startswith(output)
