# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of doc/performance.md and doc/performance-goals.md; numbers come from the results."""

PERFORMANCE = """\
# Performance compared with native multipath, bonding and TCP

Over four equal links, one NVMe controller over MPTCP reads {mptcp_read} MiB/s where TCP reads
{tcp_read}: {read_ratio} times as much, and {of_links} % of what the links carry. The
[relay](relay.md), which needs no kernel module, reads {relay_read} MiB/s and writes {relay_write}
MiB/s. When one of four cables is pulled, I/O with 16 KiB requests pauses for {keep_pause} ms
with [keep](failover.md) and for {relay_pause} ms with keep and the relay, instead of
{bare_pause} ms without keep; meanwhile, keep leaves {keep_out} % of the throughput of reads.
Native multipath with four controllers and the policy queue-depth reads {native_before} MiB/s
and keeps {native_out} % of it while the cable is out; MPTCP needs one controller and no
multipath.

> **Set-up.** Host and target are two network namespaces of one virtual machine with 4 emulated
> processors. Four links of 10 Mbit/s join them; the disk is memory. The clock of the machine
> counts instructions (QEMU's icount), so that the load of the machine that runs it does not
> change the results; a second is 500 million instructions. fio uses libaio with direct I/O:
> sequential requests of 128 KiB, 32 at a time from 4 jobs, unless a section says otherwise.
> Values are medians of 3 runs, of {outage_runs} for failures; lines on bars span the lowest and
> the highest run. Native multipath has one TCP controller on each link. mptcp has one controller
> with one subflow on each link, as `nvme mptcp setup` plans it, and so has the relay, with one
> relay on each side and the kernel's own nvme-tcp and nvmet-tcp.
> {kernels}
>
> **Limits.** No real network card was measured. The processors are emulated, and links are slow
> so that they are the limit: results are comparable with each other only. A retransmission
> timeout of 200 ms costs far less data here than at 100 Gbit/s, and socket buffers are large
> compared with the links. No queue on a link overflows.

All results with their spread, latencies and counters, also of rows that this page does not show:
[results.csv](performance/results.csv). Goals, reached or not:
[performance-goals.md](performance-goals.md).

## Summary

{summary}
Columns: tcp is one controller on one link. The bonds carry one TCP controller. Native multipath
uses the policy queue-depth; in the rows about failures also `--keep-alive-tmo=1` and
`--reconnect-delay=1`, which shorten its pause. mptcp and relay run `nvme mptcp keep` in those
rows. Rows with one link that is worse were not measured with the relay.

## How much do four equal links carry?

![Throughput over four equal links](performance/alone.svg)

**MPTCP, the relay and native multipath use all links; bonds do not, or reorder.** One TCP
connection stays on one link, and so does native multipath with its default policy numa. A bond
with 802.3ad puts each connection on a link by a hash: a controller's queues share two or three of
four links by chance. balance-rr sends packets in turns; they arrive out of order, which costs TCP
some of its speed. MPTCP costs about 2 % of the links for its headers.

## What does a pulled cable cost?

The cable of link 1 is pulled at the target's end at 5 s and plugged in at 10 s.

![16 KiB, depth 8: pause and throughput](performance/failover-16.svg)

**With small requests, the pause is {keep_pause} ms with keep instead of {bare_pause} ms, and
{keep_out} % of the throughput of reads is left instead of {bare_out} %.** The kernel alone waits
for its retransmission timer. keep removes the endpoint of a link without carrier, and the kernel
sends that link's data over the other links at once. With the relay, the pause is {relay_pause} ms,
and {relay_out} % is left. Values over 75 % in the table come from runs in which not all links were
full before. Native multipath with queue-depth sends new requests to the paths that answer; those on
the dead path wait until its keep-alive timeout, which the pause between completions does not show.

![128 KiB, depth 32: pause and throughput](performance/failover-128.svg)

**With 4 MiB queued on slow links, the first second is slow in all cases.** mptcp with keep
pauses for {large_keep_read} ms (reads) and {large_keep_write} ms (writes) and carries
{large_keep_out} % over the 5 s, {large_keep_rest} % after the first second; without keep, reads
carry {large_bare_out} %. The relay bounds its send buffer, so less is queued: {large_relay_read}
and {large_relay_write} ms, {large_relay_out} % and {large_relay_rest} %. A bond with a
hash may not use the lost link, and its throughput before is lower: its percentage can exceed 100.

{failover}
Each cell: reads / writes, medians of {outage_runs} runs ("-": not measured). Throughput in percent
of that before; three links carry 75 %.{failover_old}
{failover_newest}

{slow}

## What is left when one link is worse than the others?

![Reads while one of four links is worse](performance/unequal.svg)

**Native multipath with queue-depth leads by 2 to 10 % of the links' rate, most where one link has
300 ms more delay.** MPTCP delivers bytes in order over all links: data from fast links waits in
the receive buffer for the slow one. Rule C15 of `nvme mptcp check` advises a larger
`tcp_rmem` for links of unequal rates: {rmem} % of the links' rate with one link at a quarter,
instead of {quarter} %.

## Are the published ratios reproducible?

Ratios of mptcp to tcp over native multipath with four controllers each, as posted with the kernel
series that proposes the transport (fio, 128 KiB, four veth links of 1 Gbit/s, with 5 ms and 0.5 %
loss in the last two rows), and here:

{published}
**Without loss they are, except for writes with numa; with loss MPTCP gains 3 to 4.4 times here as
well, but not in the same cells.** Here the selftest's endpoints put several subflows on one link,
which holds back writes. On links of 10 Mbit/s, loss of 0.5 % would cost TCP less than at 1
Gbit/s: its rate depends on loss and round trip, not on the link (Mathis, Semke, Mahdavi and Ott,
*The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm*, ACM CCR 27(3), 1997). So the
delay is calibrated, at {delay} ms each way, until TCP has its published share of the links in one
cell. MPTCP itself is [RFC 8684](https://www.rfc-editor.org/rfc/rfc8684).

## What does it cost?

To connect, an mptcp controller takes {connect_mptcp} ms instead of {connect_tcp} ms, and each
connection takes {memory_mptcp} KiB of memory on both sides instead of {memory_tcp} KiB (16
controllers). At depth 1, a 128 KiB read takes {depth1_mptcp} ms instead of {depth1_tcp} ms,
because its data uses all links. The emulated processors were busy {busy_mptcp} % of the time with
reads over mptcp and {busy_native} % with those over native multipath.

What the relay adds, next to other proxies on both sides, over unlimited veth links on two
processors (Linux 6.18, four connections, medians of five runs, of two for socket-proxyd's request;
`test/bench/relay.py`):

| | reads, GiB/s | CPU, s/GiB | writes, GiB/s | CPU, s/GiB | 4 KiB request, µs |
|-|-|-|-|-|-|
| no proxy | 3.49 | - | 4.10 | - | 59 |
| relay, MPTCP over four links | 1.16 | 1.27 | 1.12 | 1.31 | 127 |
| relay, plain TCP over one link | 1.36 | 1.10 | 1.27 | 1.16 | 118 |
| haproxy, over one link | 1.01 | 1.39 | 1.03 | 1.38 | 118 |
| haproxy with splice, over one link | 1.09 | 1.19 | 1.14 | 1.15 | 119 |
| systemd-socket-proxyd, over one link | 1.29 | 0.70 | 1.30 | 0.66 | 127 |

CPU is the time of both proxies' processes for each GiB: a processor on each side carries about
1.6 GiB/s of relayed reads. The request is 72 bytes, one at a time. **Over MPTCP, the relay carries
more per processor than haproxy without splice and a tenth less than with it;
systemd-socket-proxyd takes little more than half of the relay's time.** It passes pages from one
TCP socket to the other without a copy, which MPTCP sockets cannot do up to Linux 6.18: splice()
from one copies the data into new pages, and splice() to one copies them again. In an earlier
trial, a pair of relays with splice() took as much processor time as one without on Linux 6.18, and
up to 25 times as much on Linux 6.12.

## Measure again

    make compare                             rows without results
    make compare FIGURE=failover ANEW=1      one figure again
    make compare HOST=root@h TARGET=root@t   two real machines, over ssh

See [test/bench/compare](../test/bench/compare/README.md).
"""

GOALS = """\
# Performance goals

Goals for ratios of medians; [performance.md](performance.md) has the
set-up. Reads and writes of 128 KiB in sequence from one job, measured after 15 s, in which
windows grow.

{goals}
The counters of missed rows: percentages that each link carries, retransmitted segments of 1000,
segments beyond the receive window (NoDSSInWindow), and pieces that MPTCP sent
again over another link (MPTCPRetrans).

**Writes without inline data** miss the goal because the target requests their data (R2T)
([details](benchmarks-lab.md#why-writes-carry-less-than-reads)). Inline data of 128 KiB on the
target's port, which `nvme mptcp setup` plans, avoids that. The relay's bounded send buffer has the
same effect.

**One job over several I/O queues** misses the goal at times: a request uses the queue of the
processor on which the job runs, and the job is moved among processors. Several connections then
share the links in turns, and data beyond the receive window of one is dropped and sent again
after a timeout. With the settings that rules C15 and C16 of `nvme mptcp check` advise, a maximum
of 32 MiB in `net.ipv4.tcp_rmem` and inline data of 128 KiB, reads and writes reach the goal at
both depths.
"""
