#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nvme-tcp-address.sh CONTROLLER [RESETS]: read the address of a controller in four loops while it is reset.
# Prints "survived" if the kernel does. The loops start no process: they have to be fast.
set -eu

directory=/sys/class/nvme/$1
readers=
for _ in 1 2 3 4; do
    while :; do read -r _ <"$directory/address" || :; done 2>/dev/null &
    readers="$readers $!"
done
# shellcheck disable=SC2086
trap 'kill $readers' EXIT
for reset in $(seq "${2:-100}"); do
    echo "reset $reset"
    echo 1 >"$directory/reset_controller"
    until read -r state <"$directory/state" && [ "$state" = live ]; do :; done
done
echo survived
