"""Fewest moves that others have published: the first decks of a solver's file of 1500.

Decks and lengths: github.com/mchung94/pyramid-solver, resources/random-deck-solution-lengths.txt
and resources/v1.1.0-run-decks.txt (as of 2019); its rules are our ``open-stock``.
"""

import pytest

from parlour.envs.games.pyramid import VARIANTS, solve

PUBLISHED = {
    "6d 5h Ah Jd 4s Ks 6s 8c 2h 4d 9s Kd 6c Ad 8s Ac 5c 9d 7h 3h 8d 5s 4c Qc Jh Kc Kh 3c "
    "3s 9c As 5d Qh Ts 4h 7s Td 9h Th 7c 8h 2c 7d Tc 2d 6h 2s Js Qd 3d Qs Jc": 45,
    "2c Qh 4h Td 6h 6c Tc 3s 7d 2d 6d Qd 7h 9c 4s 4d As 5d Js Ac 9d Kc Kd Ad 8h 8c Jh Th "
    "Qc 3h 8s 3d 9s Jc 9h Qs 8d 6s 5c 7c 5h 3c 7s Kh Jd 2h 2s 4c Ah Ks Ts 5s": 45,
    "4c Jh 6h 3h Tc Qs 8c 6s 6c Ac Ad 8d 7d 4h 8h 4s 9h Js Ah 3c 2h 2s 2c 4d 7c Th As 5c "
    "Jd 8s Qd 6d Ts Kd Jc 5h 9d 7s 5d 5s Qc 3d Ks Qh Kc Td 3s 7h Kh 9c 2d 9s": None,
    "8h 4c 6d 2h 2c Td Jh 9d 7s Ad Qh Qs 7d Qd 8c 3s 6s 9h Kd Tc 3d 4h Qc 5h Ts Jd 6h 2d "
    "Js 4d Ah Ac 3h 5c 2s As 9c 8s 3c 7h Th 8d Kh 4s 7c 5s 9s Ks Kc Jc 6c 5d": 39,
    "Jh Js 9d 6s Qc 9h Qs 3c 5h 8s 6d 2h 4d Kd Qh Kc 7s 7h 4s 2c 9s Td Jc 8c 3d 6h Kh 3s "
    "As Ts Tc 7c 7d 4h Ks Qd 5c 5s Jd 9c Ad 5d 4c 2s Ah Th 6c 8d 3h 8h 2d Ac": 53,
    "As 5d 4s 7h 7s Kh 7d Tc 5c Qh 2d Kc 9c 6h Th 6s 5h Ks Jc 6c 2c 4h 8h 8s 7c Ac Jh Js "
    "Kd Td 2s 9d 8c 6d Qc 9h 8d 3d 9s 2h 4d 3s 3c 3h Qd Ad Jd 5s 4c Ts Ah Qs": None,
    "6d Jc 4d 2d 2s Ac Qs Ah Kd Kh 9c 3h Ts 6s 3c 2h Ad Qh 8h Jd 8c 8s 7c 3s Ks Js 9d 2c "
    "Jh 4c Qc 8d 5c 7h Td 5d 3d 5h As 5s Th 7s 4s 9s 9h 7d 4h 6c 6h Kc Qd Tc": 49,
    "Ac 3s Jd Ts 7c Td 8c Ad Ks Jh Tc 3h 9d 6c Kc Kd Qc 8h 5c Qh 2s 2d Ah 9c 5s 4d 7s 9h "
    "Kh As Th 4s 9s 6h 8s 6s 2h 3c 4c 6d Qs Js 4h Jc 5d 3d Qd 7d 8d 7h 5h 2c": 43,
}


@pytest.mark.parametrize(("deck", "fewest"), PUBLISHED.items(), ids=range(1, 9))
def test_fewest_moves_as_published(deck: str, fewest: int | None) -> None:
    result = solve(deck, VARIANTS["open-stock"], optimal=True)
    assert (result.winnable, result.fewest) == (fewest is not None, fewest)
