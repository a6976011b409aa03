# SPDX-License-Identifier: GPL-2.0-or-later
"""How links of 1 Gbit/s with 5 ms and 0.5 % of loss become slow ones that mean the same.

Without loss, everything that counts is in proportion to the rate. A tcp that is limited by loss is
not: its rate follows round-trip time and loss (M. Mathis et al., "The Macroscopic Behavior of the
TCP Congestion Avoidance Algorithm", 1997), whatever the link could carry. On a link of a hundredth
of the rate it would fill the link, and nothing would be left to gain. So the delay grows until tcp
gets the same share of the link as it did where the numbers were published.

The model has to be told how large a packet is that gets lost, which no one published (a virtual
link loses whole bundles of up to 64 KiB). So the delay is not computed but calibrated: tcp over
round-robin, one cell of the table, is measured at several delays, and the delay is taken at which
it has the published share. The other cells then are what the table is about.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

#: Delays tried, in ms each way, at the loss of the published table.
DELAYS = (20.0, 40.0, 80.0, 160.0)
LOSS = 0.5

#: MiB/s that were published: tcp over four links by round-robin, with 5 ms and 0.5 %, and without.
PUBLISHED_LOSSY, PUBLISHED_CLEAN = 106.0, 456.0
PUBLISHED_SHARE = PUBLISHED_LOSSY / PUBLISHED_CLEAN


def mathis(segment: float, rtt: float, loss: float) -> float:
    """Bytes/s of a loss-limited tcp: segment in bytes, rtt in s, loss as a part of 1."""
    return segment / rtt * math.sqrt(1.5) / math.sqrt(loss)


def delay_for(share: float, shares: Mapping[float, float]) -> float:
    """Returns the delay in ms at which tcp has this share of a link, by those that were measured.

    Between two delays the share is a straight line in logarithms, as it is in the model. Outside
    of them nothing was measured, and the nearest delay is returned. Rounded to 5 ms.
    """
    if len(shares) < 2:
        raise ValueError("calibration takes two delays at least")
    points = sorted((delay, max(value, 1e-6)) for delay, value in shares.items())
    for (before, high), (after, low) in itertools.pairwise(points):
        if high >= share >= low:
            if math.isclose(high, low):
                return _rounded(before)
            part = (math.log(high) - math.log(share)) / (math.log(high) - math.log(low))
            return _rounded(math.exp(math.log(before) + part * math.log(after / before)))
    nearest = min(points, key=lambda point: abs(math.log(point[1] / share)))
    return nearest[0]


def _rounded(delay: float) -> float:
    return max(5.0, 5.0 * round(delay / 5.0))
