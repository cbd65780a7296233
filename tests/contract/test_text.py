"""The text interface plays the same games as the action interface, and shows no hidden card."""

import itertools
import json
import random
import re
from typing import Any

import numpy as np
import pytest

from parlour.agents.baselines import GreedyAgent
from parlour.agents.registry import choose_actions, prepare_turn
from parlour.envs import Game
from parlour.envs.core.rows import Rows, describe_move, resample_copies, view_states
from parlour.envs.interfaces.disguise import Disguise
from parlour.envs.interfaces.text import (
    AnswerError,
    TextEnv,
    TextPosition,
    explain_rules,
    find_answer,
)
from tests.contract.cases import Case, ended, positions, random_cases
from tests.marks import slow_if

RESAMPLED = 3
"""Number of sampled worlds in which each position is described again."""
MOST = 60
"""Moves of a game for one player."""
MALFORMED = 2000
ORDINARY = re.compile(
    r"[♣♦♥♠]|(?<!\w)[2-9TJQKA][cdhs](?!\w)"
    r"|(?i:(?<![a-z])(ace|jack|queen|king|club|diamond|heart|spade)s?(?![a-z]))"
)
"""Names of ordinary cards, which no disguised text may have."""
PROSE = (
    "<answer>{0}</answer>",
    "I could play {1}, but {0} looks better.\n\nAnswer: {0}",
    "**Answer:** `{0}`.",
    "Let me think. The answer is not {1}. <answer> {0} </answer> That is all.",
    '```json\n{{"answer": "{0}"}}\n```',
    "Final move: \\boxed{{{0}}}",
    "<think>Answer: {1}</think>\n{0}",
)


def text_env(case: Case, **keywords: Any) -> TextEnv:
    options = case.options | ({"max_moves": MOST} if case.players == 1 else {})
    return TextEnv(case.game, case.variant, **options, **keywords)


def check_steps(case: Case, games: int, disguise: int | None = None) -> None:
    rng = random.Random(5)
    keywords = {} if case.players > 1 else {"max_moves": MOST}
    env = case.env(encoding="codes", illegal="raise", **keywords)
    text = text_env(case, disguise=disguise)
    for seed in range(games):
        env.reset(seed=seed)
        prompt = text.reset(seed=seed)
        assert prompt.startswith(text.rules_text)
        done = False
        while not done:
            answers = text.legal_actions()
            if not env.state["over"]:
                first = {text.position.actions_of(answer)[0] for answer in answers}
                assert first <= set(np.flatnonzero(env.action_masks()).tolist())
                assert all(answer in text.observation for answer in answers)
            if rng.random() < 0.2:
                before = text.env.clone().tobytes()
                reply, reward, done, info = text.step("Answer: this is no move")
                assert (reward, done, info["actions"], info["mistake"] != "") == (
                    0,
                    False,
                    [],
                    True,
                )
                assert "\n" not in reply and text.env.clone().tobytes() == before
            answer, other = rng.choice(answers), rng.choice(answers)
            said = rng.choice(PROSE).format(answer, other)
            observation, reward, done, info = text.step(said)
            total = 0.0
            for action in info["actions"]:
                _, one, terminated, truncated, facts = env.step(action)
                total += one
            assert text.env.clone().tobytes() == env.clone().tobytes(), said
            assert (reward, done) == (total, terminated or truncated)
            assert info["truncated"] == truncated
            assert {name: info[name] for name in facts if name != "action_mask"} == {
                name: facts[name] for name in facts if name != "action_mask"
            }
            assert observation == text.observation
        assert text.legal_actions() == []
        assert "is over" in observation


def test_every_variant_plays_like_the_action_interface(case: Case) -> None:
    check_steps(case, 2)


def test_a_disguised_game_is_the_same_game(game: Game) -> None:
    check_steps(Case(game, game.default), 1, disguise=8)


@pytest.mark.parametrize("each", [1, slow_if(True, 12)])
def test_random_options_play_like_the_action_interface(each: int) -> None:
    for case in random_cases(each, seed=81):
        check_steps(case, 1)


def view(case: Case, states: np.ndarray, seat: int) -> np.ndarray:
    if case.players == 1:
        return states
    return view_states(case.game, case.rules, states, np.full(len(states), seat))


def texts_of(case: Case, states: np.ndarray, row: int, replies: bool) -> tuple[str, ...]:
    """Every string that the interface makes of a state."""
    result: list[str] = []
    for form, disguise in (("text", None), ("json", None), ("text", Disguise(4))):
        position = TextPosition(case.game, case.rules, states[row : row + 1], form, disguise)
        result += [position.text, *position.answers]
        for wrong in ("", "Answer: Kd", "Answer: 7", "Answer: nonsense") if replies else ():
            try:
                result.append(str(position.read_answer(wrong)))
            except AnswerError as error:
                result.append(f"{error.kind} {error}")
    return tuple(result)


def check_hidden(case: Case, games: int, seed: int, every: int) -> None:
    keywords = {"max_moves": MOST} if case.players == 1 else {}
    env = case.whole(encoding="codes", **keywords)
    for step in positions(env, games, seed, every):
        if ended(env):
            continue
        seat = 0 if case.players == 1 else int(env.state["turn"])
        state = env.clone()
        asked = -1 if case.players == 1 else seat
        others = resample_copies(case.game, case.rules, state.repeat(RESAMPLED), step, asked)
        states = view(case, np.concatenate([state, others]), seat)
        seen = {texts_of(case, states, row, step % 3 == 0) for row in range(len(states))}
        assert len(seen) == 1, f"{case}: step {step} shows a hidden card"


def test_no_text_shows_a_hidden_card(case: Case) -> None:
    check_hidden(case, 2, seed=82, every=7)


@pytest.mark.parametrize("each", [1, slow_if(True, 10)])
def test_no_text_shows_a_hidden_card_with_random_options(each: int) -> None:
    for case in random_cases(each, seed=83):
        check_hidden(case, 1, seed=84, every=9)


def spellings(answer: str, in_any_order: bool) -> set[str]:
    """Ways in which people and models write a move."""
    words = [re.sub(r"^T([cdhs])$", r"10\1", answer_word).upper() for answer_word in answer.split()]
    signs = [
        re.sub(r"^(\w)([cdhs])$", lambda m: m[1] + "♣♦♥♠"["cdhs".index(m[2])] + "\ufe0f", word)
        for word in answer.split()
    ]
    several = {", ".join(words), " and ".join(signs)}
    if in_any_order:
        several.add(" ".join(reversed(answer.split())))
    return {answer, answer.lower(), f" {answer}. ", f"`{answer}`", f"**{answer}**", *several}


def test_moves_are_read_in_all_spellings(case: Case) -> None:
    keywords = {"max_moves": MOST} if case.players == 1 else {}
    env = case.whole(encoding="codes", **keywords)
    for step in positions(env, 2, 85, every=11):
        if ended(env):
            continue
        seat = 0 if case.players == 1 else int(env.state["turn"])
        states = view(case, env.clone(), seat)
        position = TextPosition(case.game, case.rules, states)
        assert len(set(position.answers)) == len(position.answers) > 0
        for answer in position.answers[:: 1 + len(position.answers) // 6]:
            move = position.actions_of(answer)
            phrase = describe_move(case.game, case.rules, states, move)
            said = [*spellings(answer, len(move) > 1), phrase.capitalize()]
            for one in said:
                assert position.read_answer(f"So:\n\nAnswer: {one}") == move, (step, one)


def test_a_card_that_one_move_uses_names_the_move() -> None:
    env = TextEnv("pyramid")
    env.reset(seed=1)
    assert "2d Js" in env.legal_actions()
    for card in ("2d", "J♠", "jack of spades", "27"):
        assert env.position.read_answer(card) == env.position.actions_of("2d Js")
    with pytest.raises(AnswerError, match="'Qc' is not a legal move now") as error:
        env.position.read_answer("Qc")
    assert error.value.kind == "illegal"


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("A♥ to foundation", "Ah f"),
        ("Ah", "Ah f"),
        ("move A♥ to its foundation", "Ah f"),
        ("9♥ onto T♣", "9h Tc"),
        ("9h -> 10c", "9h Tc"),
        ("the nine of hearts to column 7", "9h Tc"),
        ("2 → 7", "9h Tc"),
        ("Deal", "d"),
    ],
)
def test_a_card_and_its_target_name_the_move(answer: str, move: str) -> None:
    env = TextEnv("klondike")
    env.reset(seed=11)
    assert env.legal_actions() == ["d", "Ah f", "9h Tc"]
    assert env.position.read_answer(answer) == env.position.actions_of(move)


def malformed(rng: random.Random) -> str:
    """Answers as a broken or hostile model writes them."""
    letters = "abcdTJQK♥♠10259 <>/{}[]\\\"'`*:=,.;|+\n\t\r\x00\u2028\u202e😀ﬁ０あ"
    junk = "".join(rng.choice(letters) for _ in range(rng.randrange(60)))
    return rng.choice(
        (
            junk,
            f"<answer>{junk}</answer>",
            f"Answer: {junk}",
            f"\\boxed{{{junk}}}",
            "<think>" + junk,
            "<answer>" * rng.randrange(1, 9) + junk,
            junk * 200,
            f"answer: {'Th ' * 40}",
            "answer: -1",
            "answer: 10**9999",
            '{"answer": null}',
        )
    )


def test_malformed_answers_get_one_line(game: Game) -> None:
    rng = random.Random(86)
    env = TextEnv(game, max_mistakes=None, penalty=0.25)
    prompt = env.reset(seed=3)
    assert "Legal moves:" in prompt or "before your first turn" in prompt
    seed, mistakes = 3, 0
    while mistakes < MALFORMED:
        before = env.env.clone().tobytes()
        reply, reward, done, info = env.step(malformed(rng))
        if info["mistake"]:
            mistakes += 1
            assert len(reply.splitlines()) == 1 and reply.isprintable() and len(reply) < 600, reply
            assert reward == -0.25 and not done
            assert env.env.clone().tobytes() == before
        elif done:
            seed += 1
            env.reset(seed=seed)


def test_the_episode_ends_after_too_many_mistakes(game: Game) -> None:
    env = TextEnv(game, max_mistakes=2, penalty=1)
    env.reset(seed=1)
    env.step("nothing")
    reply, reward, done, info = env.step("nothing")
    assert (reward, done, info["truncated"], info["mistakes"]) == (-1, True, True, 2)
    assert reply.endswith("The episode ends after 2 mistakes.")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<answer>a</answer> or <answer>b</answer>", "b"),
        ("Answer: a\nmore", "a"),
        ("answer: a <answer>b</answer>", "b"),
        ("one\n\ntwo\n", "two"),
        ("<think>answer: a", ""),
        ("The final answer is d.", "d."),
        ("", ""),
    ],
)
def test_the_marked_answer_counts(text: str, answer: str) -> None:
    assert find_answer(text) == answer


def test_disguised_texts_have_no_ordinary_names(case: Case) -> None:
    keywords = {"max_moves": MOST} if case.players == 1 else {}
    env = case.whole(encoding="codes", **keywords)
    for seed in range(3):
        disguise = Disguise(seed)
        rules = explain_rules(case.game, case.rules, disguise=disguise)
        assert not ORDINARY.search(rules), ORDINARY.search(rules)
        assert case.game.title not in rules
    for _ in positions(env, 1, 87, every=9):
        if ended(env):
            continue
        seat = 0 if case.players == 1 else int(env.state["turn"])
        for form in ("text", "json"):
            states = view(case, env.clone(), seat)
            text = TextPosition(case.game, case.rules, states, form, disguise).text
            assert not ORDINARY.search(text), ORDINARY.search(text)
            assert case.game.title not in text


def test_all_cards_of_a_sum_are_marked() -> None:
    env = TextEnv("pyramid")
    env.reset(seed=3)
    assert env.legal_actions() == ["Qd As", "Qd Ac", "d"]
    for card in ("[A♠]", "[A♣]", "[Q♦]"):
        assert card in env.observation
    marked = json.loads(TextEnv("pyramid", form="json").reset(seed=3).split("\n\n")[-3])
    assert [one["card"] for one in marked["cards"] if "mark" in one] == ["As", "Ac", "Qd"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_prompts_show_bets_and_chips(form: str) -> None:
    env = TextEnv("seven_twenty_seven", form=form)
    env.reset(seed=3)
    text = env.step("stand")[0]
    for part in ("pot 9", "seat 2 paid 6", "5 to call", "last bet or raise by seat 2"):
        assert part in text


@pytest.mark.parametrize("form", ["text", "json"])
def test_prompts_show_the_last_trick(form: str) -> None:
    env = TextEnv("twenty_nine", form=form)
    env.reset(seed=7)
    for answer in ("15", "pass", "Qc"):
        text = env.step(answer)[0]
    for part in ("trick 2 of 8, led by seat 3", "last trick, led by seat 3: J♣ Q♣ 8♣ K♣"):
        assert part in text


def test_prompts_name_the_limit_of_moves() -> None:
    assert "500 moves at the latest" in TextEnv("klondike").reset(seed=1)
    assert "at the latest" not in TextEnv("klondike", max_moves=None).reset(seed=1)
    env = TextEnv("pyramid", max_moves=1)
    assert "1 moves at the latest" not in env.reset(seed=1)
    assert env.step("d")[0].endswith("The game is over after 1 move: not won, score 0.")


def test_disguises_differ_by_their_seed() -> None:
    texts = {
        explain_rules(game, game.make_rules(), disguise=Disguise(seed))
        for seed in range(20)
        for game in [TextEnv("pyramid").game]
    }
    assert len(texts) == 20


def prose_score(env: TextEnv, agent: GreedyAgent, deal: int, number: int) -> Any:
    """Play a deal with the moves of an agent, told in prose; return the score."""
    env.reset(options={"deal": deal})
    done, info = False, env._info
    styles = itertools.cycle(PROSE[number % len(PROSE) :] + PROSE[: number % len(PROSE)])
    while not done:
        answers = env.legal_actions()
        answer = answers[0]
        if not env.env.state["over"]:
            answer = env.position.answer_of(agent_move(env, agent))
        _, _, done, info = env.step(next(styles).format(answer, answers[-1]))
        assert not info["mistake"]
    return info["score"]


def agent_move(env: TextEnv, agent: GreedyAgent) -> list[int]:
    """The actions of the agent until the move is complete."""
    rows, moves = Rows(env.game, env.rules, 1), env.env.state["moves"]
    rows.restore(env.env.clone())
    actions: list[int] = []
    while not rows.states["over"][0] and rows.states["moves"][0] == moves:
        turn = prepare_turn(agent, env.game, env.rules, rows.states, 0)
        actions += choose_actions(agent, turn).tolist()
        rows.step(np.array(actions[-1:]))
    return actions


@pytest.mark.parametrize("deals", [50, slow_if(True, 1000)])
def test_prose_scores_as_greedy_does(game: Game, deals: int) -> None:
    if game.may_cycle:
        deals //= 10  # Its games are ten times longer.
    agent = GreedyAgent()
    env, other = TextEnv(game), Case(game, game.default).env(encoding="codes")
    for deal in range(deals):
        other.reset(options={"deal": deal})
        done = False
        while not done:
            action = 0
            if not other.state["over"]:
                turn = prepare_turn(agent, game, other.rules, other.clone(), 0)
                action = int(choose_actions(agent, turn)[0])
            _, _, terminated, truncated, info = other.step(action)
            done = terminated or truncated
        assert prose_score(env, agent, deal, deal) == info["score"], deal
