#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nvmet-tcp-traffic-class.sh INTERFACE PORT: count the packets that arrive from a target's port in five seconds,
# those of class 16 (DSCP 4) and others. Needs nft; adds the table traffic-class and deletes it.
set -eu

nft -f - <<TABLE
table netdev traffic-class {
    chain in {
        type filter hook ingress device "$1" priority 0
        tcp sport $2 ip dscp 4 counter comment "class 16"
        tcp sport $2 ip dscp != 4 counter comment "other classes"
        tcp sport $2 ip6 dscp 4 counter comment "IPv6, class 16"
        tcp sport $2 ip6 dscp != 4 counter comment "IPv6, other classes"
    }
}
TABLE
trap 'nft delete table netdev traffic-class' EXIT
sleep 5
nft list table netdev traffic-class | grep counter
