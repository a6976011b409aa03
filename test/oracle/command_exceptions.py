# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the commands of command_lines.txt differ from nvme-cli 2.16."""

import re
from collections.abc import Callable

from differences import Case, Difference
from program_exceptions import Exception_, because


def _refused_early(_: Case, difference: Difference) -> bool:
    """Did the original send what reads something before it refused the same?"""
    return not difference.ours and all("opcode=06" in x or x[0] == " " for x in difference.theirs)


def _no_room(case: Case, _: Difference) -> bool:
    """Is there a value with more bits than its field?"""
    given = dict(zip(case.args[1:], case.args[2:], strict=False))
    wide = {
        "virt-mgmt": {"-r": "8", "-a": "16"},
        "device-self-test": {"-s": "16"},
        "copy": {"-p": "16", "-T": "16"},
        "dir-send": {"-e": "2"},
        "nvme-mi-recv": {"-m": "16"},
        "nvme-mi-send": {"-m": "16"},
        "set-reg": {"-V": "0x1122334455667788"},
    }
    return any(given.get(k) == v for k, v in wide.get(case.command, {}).items())


def _reads_formats(_: Case, difference: Difference) -> bool:
    """Did the original read the namespace before it sent the same?"""
    more = difference.theirs[: len(difference.theirs) - len(difference.ours)]
    return difference.theirs == more + difference.ours and all("opcode=06" in x for x in more[::2])


def _without_sums(sent: list[str]) -> list[str]:
    """What was sent, without the checksums of its data."""
    return [re.sub("sent=[0-9a-f]+$", "", line) for line in sent]


def _crashed(_: Case, difference: Difference) -> bool:
    return difference.theirs < 0 <= difference.ours


def _given(*words: str) -> Callable[[Case, Difference], bool]:
    """A condition: do these words follow each other in the command line?"""
    return lambda case, _: f" {' '.join(words)} " in f" {' '.join(case.args)} "


def _counts_differ(case: Case, _: Difference) -> bool:
    """Does one of copy's lists have fewer numbers than another?"""
    lists = [word for flag, word in zip(case.args, case.args[1:], strict=False) if flag in COPY]
    return len({word.count(",") for word in lists}) > 1


def _odd_length(case: Case, _: Difference) -> bool:
    """Is there no length, or one that is no number of dwords?"""
    return "-l" not in case.args or _given("-l", "6")(case, _)


def _beyond(case: Case, difference: Difference) -> bool:
    """Is it something that the original found behind its buffer, or behind what a list may hold?"""
    hostile = case.data == "ones" or case.data.startswith("random")
    return hostile and (difference.ours is None or difference.kind == "length")


COPY = ("-s", "-b", "-N", "-O", "-R", "-A", "-M")


def _without_lengths(sent: list[str]) -> list[str]:
    """What was sent, without transfer and allocation lengths."""
    return [re.sub("cdw11=[0-9a-f]+", "", line) for line in sent]


def _lengths_alone(_: Case, difference: Difference) -> bool:
    return _without_lengths(difference.ours) == _without_lengths(difference.theirs)


def _stopped_before(_: Case, difference: Difference) -> bool:
    """Did ours send the same, but less of it, and nothing that changes something?"""
    sent = _without_lengths(difference.ours)
    return (
        sent == _without_lengths(difference.theirs)[: len(sent)]
        and len(sent) < len(difference.theirs)
        and not any("rpmb type" in line for line in sent)
    )


def _wrote_config(case: Case, difference: Difference) -> bool:
    """Did both write the same configuration, if the controller took it?"""
    ours, theirs = ([line for line in sent if re.search("rpmb type=6 .* result=0$", line)]
                    for sent in (difference.ours, difference.theirs))  # fmt: skip
    return "write-config" in case.args and ours == theirs


EXCEPTIONS: tuple[Exception_, ...] = (
    *because(
        "the original reads from the device before it looks at the options",
        "A command line that is refused sends nothing",
        "create-ns, format | sent",
        when=_refused_early,
    ),
    *because(
        "the original cuts off what is too large, and does something else than was asked for",
        "a value that does not fit into its field is refused",
        "copy, device-self-test, dir-send, nvme-mi-recv, nvme-mi-send, set-reg, virt-mgmt | sent, "
        "status",
        when=_no_room,
    ),
    *because(
        "the original has six bits for the index of a UUID, which has seven",
        "The UUID index of `lockdown`",
        "lockdown | sent",
        when=lambda case, _: "64" in case.args,
    ),
    *because(
        "the original shows as many entries as are announced, those behind the data as well",
        "Lists are shown as far as the data has them",
        "id-domain | length | domain_list[]",
        "id-domain | line | Domain Capacity for Attr Entry[]; Domain Id for Attr Entry[]; "
        "Max Endurance Group Domain Capacity for Attr Entry[]; "
        "Unallocated Domain Capacity for Attr Entry[]",
        "id-ns-granularity | length | namespace-granularity-list[]",
        "id-ns-granularity | line | ................; Entry[]; NCG; NSG",
        "id-ns-lba-format | line | lbaf[]",
        "id-nvmset | length | NVMSet[]",
        "id-nvmset | line | .................; NVM Set Attribute Entry[; endurance_group_id; "
        "optimal_write_size; random_4k_read_typical; total_nvmset_cap; unalloc_nvmset_cap",
        "nvm-id-ns, nvm-id-ns-lba-format | length | elbafs[]",
        "nvm-id-ns, nvm-id-ns-lba-format | line | Extended LBA Format[]; elbaf[]",
        when=_beyond,
    ),
    *because(
        "the original has a sign where the highest bit is set",
        "Numbers have no sign",
        "cmdset-ind-id-ns | value | rgrpid",
        "id-ns-granularity | value | attributes",
        "nvm-id-ns, nvm-id-ns-lba-format | value | npdgl",
        when=lambda _, d: isinstance(d.theirs, int) and d.theirs < 0 <= d.ours,
    ),
    *because(
        "the original prints the endurance group where the NVM set belongs",
        "`id-nvmset` prints the identifier of each NVM set",
        "id-nvmset | line | nvmset_id",
    ),
    *because(
        "the original prints sizes that no number of its own holds, and calls performances whose "
        "reserved bits are set the best",
        "sizes of blocks beyond 31 bits",
        "id-ns-lba-format | line | LBA Format[]",
        when=lambda case, _: case.data != "zeros" and case.data != "sample",
    ),
    *because(
        "the original has no formats with unique attributes in its JSON",
        "leaves formats with unique attributes out of its JSON",
        "id-ns-lba-format | length | lbafs[]",
    ),
    *because(
        "the original reads the format of protection information whether or not there are tags",
        "`verify` and `write-zeroes` read the format of the tags where they have any",
        "verify, write-zeroes | sent",
        when=_reads_formats,
    ),
    *because(
        "the original leaves what it found in memory in the reserved bytes of the ranges",
        "Reserved bytes of the ranges of `copy` are zero",
        "copy | sent",
        when=lambda _, d: _without_sums(d.ours) == _without_sums(d.theirs),
    ),
    *because(
        "the original copies ranges of which it knows one half, from or for block 0",
        "`copy` refuses lists of different lengths",
        "copy | sent, status",
        when=_counts_differ,
    ),
    *because(
        "the original sends namespace 0, which there is not, unless --namespace-id is there",
        "`get-lba-status` is for the namespace of its device",
        "get-lba-status | sent",
        when=lambda _, d: [x.replace("nsid=1", "nsid=0") for x in d.ours] == d.theirs,
    ),
    *because(
        "the original reads or writes behind its buffers, or adds to what is no JSON object",
        "2.13 crashes in JSON of `get-lba-status`",
        "dir-receive, get-lba-status, security-send | status",
        when=_crashed,
    ),
    *because(
        "the original shows as many entries as are announced, those behind the data as well",
        "Lists are shown as far as the data has them",
        "dir-receive | line, missing | Stream Identifier[]",
        when=lambda case, d: d.ours is None and "-l" in case.args,
    ),
    *because(
        "the original takes the reserved byte behind it for a part of the capability",
        "`dir-receive` shows the 8 bits of the stream capability",
        "dir-receive | line, value | NVM Subsystem Stream Capability (NSSC)",
    ),
    *because(
        "the original goes over the structure in steps that are too long in its JSON",
        "whose JSON has the numbers of its text",
        "dir-receive | value | NVM Subsystem Streams Available (NSSA); "
        "NVM Subsystem Streams Open (NSSO); Namespace Streams Allocated (NSA); "
        "Namespace Streams Open (NSO); Stream Granularity Size (in unit of SWS) (SGS); "
        "Stream Identifier[]; Stream Write Size (in unit of LB size) (SWS)",
    ),
    *because(
        "the original has the address of its buffer as a key, and characters for bytes",
        "is an array of numbers under `data`",
        "dir-send | extra | result",
        "dir-send, io-mgmt-recv, nvme-mi-recv, security-recv | missing | data:",
        "io-mgmt-recv, security-recv | extra | data",
        "nvme-mi-recv | extra | data; response; result; status; status_text",
    ),
    *because(
        "the original knows no binary format here, or writes a line before the bytes",
        "`-o binary` and `--raw-binary` write nothing but the bytes",
        "dir-receive, io-mgmt-recv, nvme-mi-recv, security-recv | bytes",
    ),
    *because(
        "the original sends zeroes where the file ends",
        "a file that is shorter than the data is refused",
        "security-send | sent, status",
        when=lambda case, _: "/dev/null" in case.args or "IMAGE" in case.args,
    ),
    *because(
        "the original lets the controller send more than there is room for",
        "`security-recv` refuses `--al` beyond `--size`",
        "security-recv | sent, status",
        when=_given("-x", "20", "-t", "64"),
    ),
    *because(
        "the original asks for 16 GiB without a length, and cuts off what is no dword",
        "`io-mgmt-recv` requires `--data-len` in whole dwords",
        "io-mgmt-recv | sent, status",
        when=_odd_length,
    ),
    *because(
        "the original fails where it wrote the file",
        "exit status of `io-mgmt-recv --data`",
        "io-mgmt-recv | status",
        when=_given("-d", "/dev/null"),
    ),
    *because(
        "the original looks at the bit of another mechanism in its JSON",
        "Arbitration mechanisms in the JSON of `get-reg`",
        "get-reg | value | register: 0000[].cap[].Arbitration Mechanism Supported "
        "(AMS)[].Weighted Round Robin with Urgent Priority Class",
    ),
    *because(
        "the original prints the unit instead of the value",
        "the sustained write throughput of PMRSWTP",
        "get-reg | line | PMR Sustained Write Throughput (PMRSWTV)",
        "get-reg | value | register: 0xe10[].pmrswtp[].PMR Sustained Write Throughput (PMRSWTV)",
    ),
    *because(
        "the original succeeds without a value",
        "A register that there is not over fabrics is an error",
        "get-reg | status",
        when=lambda case, d: case.data == "sample",
    ),
    *because(
        "the original succeeds without having anything to do",
        "`set-reg` without a register is an error",
        "set-reg | status",
        when=lambda case, d: not any(word.startswith(("-O", "--")) for word in case.args),
    ),
    *because(
        "the original does nothing for --bpmbl",
        "`set-reg --bpmbl` writes",
        "set-reg | line | set-register",
        when=lambda case, _: "--bpmbl" in case.args,
    ),
    *because(
        "the original's exit status is the number of what it wrote or read, or 0 after an error",
        "The exit status of `rpmb` is 0 where it did what was asked for",
        "rpmb | status",
    ),
    *because(
        "the original announces frames of 0 bytes",
        "announces the length of each frame",
        "rpmb | sent",
        when=_lengths_alone,
    ),
    *because(
        "the original sends what cannot be, writes by a counter that nobody authenticated, and "
        "programs a key that is too short, filled up with zeros",
        "refuses keys that have not 32 bytes",
        "rpmb | sent",
        when=_stopped_before,
    ),
    *because(
        "the original counts the sectors before --address as read",
        "`read-data` reads all of `--blocks` from any `--address`",
        "rpmb | line | Writing",
        "rpmb | sent",
        when=_given("read-data"),
    ),
    *because(
        "the original does not ask for the result of what it wrote",
        "reads the result of `write-config`",
        "rpmb | sent",
        when=_wrote_config,
    ),
)
