#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nvme-tcp-address.sh CONTROLLER [RESETS]: read the address of a controller in two loops while it is reset.
# Prints "survived" if the kernel does.
set -eu

directory=/sys/class/nvme/$1
readers=
for _ in 1 2; do
    while :; do cat "$directory/address"; done >/dev/null 2>&1 &
    readers="$readers $!"
done
# shellcheck disable=SC2086
trap 'kill $readers' EXIT
for _ in $(seq "${2:-50}"); do
    echo 1 >"$directory/reset_controller"
    until [ "$(cat "$directory/state")" = live ]; do sleep 0.1; done
done
echo survived
