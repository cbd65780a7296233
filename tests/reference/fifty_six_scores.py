"""Fifty-Six: what a contract is worth. Used by `fifty_six`, in whose header the readings are
listed.
"""

STAKES = [(28, 1, 2), (40, 2, 3), (48, 3, 4), (56, 4, 5)]  # from this number: made, lost


def change(number: int, made: bool, doubles: int, doubling: str, redouble_times: int = 4) -> int:
    """What the score of the bidder's side changes by.

    doubles: 0, 1 doubled, 2 redoubled. doubling, redouble_times: the options.
    """
    _, if_made, if_lost = [stake for stake in STAKES if stake[0] <= number][-1]
    stake = if_made if made else if_lost
    if doubling == "add":
        stake += doubles
    elif doubling == "times":
        stake *= (1, 2, redouble_times)[doubles]
    return stake if made else -stake
