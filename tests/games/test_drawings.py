"""Small tables of the games as text, short enough to check by eye."""

from parlour.envs import make
from parlour.envs.games.puss_in_the_corner.rules import DEAL, PLACE, PLAY


def test_full_lines_of_squares_show_their_points() -> None:
    env = make("poker_squares")
    env.reset(options={"deck": list(range(4, 56))})
    # This makes four aces in a row and four twos in a column.
    for square in (0, 1, 2, 3, 9, 4, 14, 19, 24):
        env.step(square)
    lines = repr(env.scene()).splitlines()
    assert lines[1].split() == ["A♣", "A♦", "A♥", "A♠", "2♦", "50", "<3♦>"]
    assert lines[-1].split() == ["50"]
    assert "score 100" in repr(env.scene())


def test_squares_without_points_show_nothing_and_points_may_be_negative() -> None:
    points = (0, 0, 0, 0, 0, 0, 0, -128, 0, 0)
    env = make("poker_squares", scoring="custom", points=points)
    env.reset(options={"deck": list(range(4, 56))})
    for square in range(4):
        env.step(square)
    assert "-128" not in repr(env.scene())
    env.step(4)
    assert "-128" in repr(env.scene()).splitlines()[1]


def test_a_foundation_shows_its_top_card() -> None:
    """The first black foundation shows the two of spades until the two of clubs is played, too."""
    env = make("puss_in_the_corner", "free-hand")
    env.reset(options={"deck": list(range(8, 56))})
    for pile in range(4):
        env.step(PLACE + pile)
    env.step(PLAY + 3)
    assert "2♠    A♦    A♥    A♠" in repr(env.scene())
    env.step(PLAY + 0)
    assert "2♣    A♦    A♥    2♠" in repr(env.scene())


def test_gathered_piles_are_listed_in_their_order() -> None:
    env = make("puss_in_the_corner", "free-hand")
    env.reset(options={"deck": list(range(55, 7, -1))})
    over = False
    while not over and not env.action_masks()[10]:
        can = env.action_masks()
        action = next(a for a in (DEAL, int(env.state["moves"]) % 4, 0, *range(4, 8)) if can[a])
        _, _, over, _, _ = env.step(action)
    assert "gathered" not in repr(env.scene())
    for action in (10, 13, 11):
        env.step(action)
    assert "gathered 3 1" in repr(env.scene())
