#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nvme-tcp-namespace.sh: connect a controller inside a network namespace, reset it, and print its state.
# Makes the namespaces nsrepro-target and nsrepro-host, and nvmet's port and subsystem of that name.
set -eu

nqn=nqn.2024-01.repro:namespace
nvmet=/sys/kernel/config/nvmet
modprobe -a brd nvmet-tcp nvme-tcp
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config

finish() {
    for controller in /sys/class/nvme/nvme*; do
        [ "$(cat "$controller/subsysnqn" 2>/dev/null)" != $nqn ] || echo 1 >"$controller/delete_controller"
    done
    rm -f $nvmet/ports/4991/subsystems/$nqn
    rmdir $nvmet/ports/4991 $nvmet/subsystems/$nqn/namespaces/1 $nvmet/subsystems/$nqn 2>/dev/null || :
    ip netns del nsrepro-target
    ip netns del nsrepro-host
}
ip netns add nsrepro-target
ip netns add nsrepro-host
trap finish EXIT
ip -n nsrepro-host link add repro-host type veth peer name repro-target netns nsrepro-target
ip -n nsrepro-host address add 192.0.2.2/24 dev repro-host
ip -n nsrepro-target address add 192.0.2.1/24 dev repro-target
ip -n nsrepro-host link set repro-host up
ip -n nsrepro-target link set repro-target up

mkdir -p $nvmet/subsystems/$nqn/namespaces/1 $nvmet/ports/4991
echo 1 >$nvmet/subsystems/$nqn/attr_allow_any_host
echo /dev/ram0 >$nvmet/subsystems/$nqn/namespaces/1/device_path
echo 1 >$nvmet/subsystems/$nqn/namespaces/1/enable
echo tcp >$nvmet/ports/4991/addr_trtype
echo ipv4 >$nvmet/ports/4991/addr_adrfam
echo 192.0.2.1 >$nvmet/ports/4991/addr_traddr
echo 4991 >$nvmet/ports/4991/addr_trsvcid
nsenter --net=/run/netns/nsrepro-target ln -s $nvmet/subsystems/$nqn $nvmet/ports/4991/subsystems/$nqn

options=transport=tcp,traddr=192.0.2.1,trsvcid=4991,nqn=$nqn,nr_io_queues=1,reconnect_delay=1,ctrl_loss_tmo=30
# shellcheck disable=SC2016
nsenter --net=/run/netns/nsrepro-host sh -c 'echo "$1" >/dev/nvme-fabrics' sh "$options"
for controller in /sys/class/nvme/nvme*; do
    [ "$(cat "$controller/subsysnqn")" = $nqn ] || continue
    echo "before the reset: $(cat "$controller/state")"
    echo 1 >"$controller/reset_controller" || :
    sleep 5
    echo "after the reset: $(cat "$controller/state" 2>/dev/null || echo removed)"
done
