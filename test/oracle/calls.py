# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the calls of the oracle: one of every function of 1.16 that sends a command.

Derived from the interface in test/data/abi: a function that takes a descriptor or a structure of
arguments is called with arguments that oracle.h draws by the number of the round.

    calls.py DATA_DIRECTORY >calls.c
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "abi"))

from contract import lines, sections, symbols

#: What came after 1.16 is not there to be compared.
LATER = {"LIBNVME_UNRELEASED"}

#: Called by hand in device.c: they allocate, read what the device answers, or run in a loop.
BY_HAND = {
    "nvme_get_log_page", "nvme_fw_download_seq", "nvme_get_ana_log_atomic", "nvme_get_ana_log_len",
    "nvme_get_ctrl_telemetry", "nvme_get_host_telemetry", "nvme_get_new_host_telemetry",
    "nvme_get_telemetry_log", "nvme_get_telemetry_max", "nvme_get_logical_block_size",
    "nvme_namespace_attach_ctrls", "nvme_namespace_detach_ctrls",
    "nvme_submit_passthru", "nvme_submit_passthru64",
    "nvme_submit_admin_passthru", "nvme_submit_admin_passthru64", "nvme_submit_io_passthru",
    "nvme_submit_io_passthru64", "nvme_get_nsid",
}  # fmt: skip

#: They go by what a device answers: where that has no data, the original goes by its stack.
BY_ANSWER = {"nvme_clear_etdas", "nvme_get_uuid_list", "nvme_set_etdas"}

#: No command: they name a device, or a descriptor is not what they take.
NO_COMMAND = {"nvme_open"}

BITS = {
    "__u8": 8, "__u16": 16, "__u32": 32, "__u64": 64, "int": 31, "unsigned int": 32, "bool": 1,
}  # fmt: skip

LENGTHS = {"len", "data_len", "metadata_len", "tl", "al"}

#: Counts of dwords, from which a library makes a length.
DWORDS = {"mndw", "numd"}

#: What a command's form depends on.
CHOICES = {"sel", "pif", "format", "mos"}

#: A length of data in two members: the older one is drawn.
LATER_MEMBERS = {("nvme_lm_cdq_args", "sz")}

Field = tuple[str, str]


def parameters(declaration: str) -> list[Field]:
    """Returns type and name of each parameter of a declaration."""
    inside = declaration[declaration.index("(") + 1 : declaration.rindex(")")]
    found = []
    for parameter in inside.split(","):
        match = re.fullmatch(r"(.*?)(\w+)(\[\d+\])?", parameter.strip())
        if match:
            found.append((match[1].strip() + (" *" if match[3] else ""), match[2]))
    return found


def structures(data: Path) -> dict[str, list[Field]]:
    """Returns the members of each structure of arguments: type and name, reserved ones left out."""
    found: dict[str, list[Field]] = {}
    name = ""
    for section, line in sections(data / "structs.txt"):
        if section != "api-types.h":
            continue
        if not line.startswith("\t"):
            name = line.split()[1]
            found[name] = []
            continue
        member, type_ = line.split(maxsplit=2)[1:]
        if not member.startswith("rsvd"):
            found[name].append((type_, member))
    return found


def drawn(type_: str, name: str) -> str:
    """Returns the expression that draws one argument."""
    if name == "result":
        return 'oracle_draw_pointer("result", (void *)&result)'
    if type_ in ("__u32 *", "__u64 *"):
        return "(void *)&result"
    if type_.endswith("*"):
        where = "oracle_metadata" if name == "metadata" else "oracle_buffer"
        return f"(void *){where}"
    if name in LENGTHS:
        return f'oracle_draw_length("{name}")'
    if name in DWORDS:
        return f'oracle_draw_dwords("{name}")'
    if name in CHOICES:
        bits = 32 if type_.startswith("enum ") else BITS[type_]
        return f'({type_})oracle_draw_choice("{name}", {bits})'
    if type_.startswith("enum "):
        return f'({type_})oracle_draw("{name}", 32)'
    return f'({type_})oracle_draw("{name}", {BITS[type_]})'


def from_structure(function: str, structure: str, fields: list[Field]) -> Iterator[str]:
    """Yields a call of a function that takes a structure of arguments, and an opcode perhaps."""
    opcode = ", opcode" if function == "nvme_io" else ""
    yield f"\tstruct {structure} args = {{}};"
    yield "\tunion { __u32 narrow; __u64 wide; } result = {};"
    if opcode:
        yield '\t__u8 opcode = (__u8)oracle_draw("opcode", 8);'
    yield ""
    for type_, name in fields:
        if name == "fd" or (structure, name) in LATER_MEMBERS:
            continue
        sized = name == "args_size"
        value = "oracle_draw_size((int)sizeof(args))" if sized else drawn(type_, name)
        yield f"\targs.{name} = {value};"
    yield "\targs.fd = oracle_begin();"
    yield f"\toracle_end({function}(&args{opcode}));"
    yield '\toracle_note("result", result.wide);'


def from_parameters(function: str, fields: list[Field]) -> Iterator[str]:
    """Yields a call of a function that takes a descriptor first."""
    yield "\tunion { __u32 narrow; __u64 wide; } result = {};"
    for type_, name in fields[1:]:
        value = drawn(type_, name)
        pointer = "void *" if type_.endswith("*") else f"{type_} "
        yield f"\t{pointer}{name}_ = {value};"
    names = ", ".join(["oracle_begin()", *(f"{name}_" for _, name in fields[1:])])
    yield ""
    yield f"\toracle_end({function}({names}));"
    yield '\toracle_note("result", result.wide);'


def calls(data: Path) -> Iterator[tuple[str, list[str]]]:
    """Yields each function with the body that calls it."""
    node = symbols(data)
    known = structures(data)
    for declaration in lines(data / "functions.txt", "exported"):
        match = re.search(r"(\w+)\(", declaration)
        assert match
        function = match[1]
        if node.get(function) in LATER or function in BY_HAND | BY_ANSWER | NO_COMMAND:
            continue
        fields = parameters(declaration)
        if not fields or not declaration.startswith("int "):
            continue
        structure = re.fullmatch(r"struct (nvme_\w+_args) \*", fields[0][0])
        if structure and structure[1] in known:
            yield function, list(from_structure(function, structure[1], known[structure[1]]))
        elif fields[0] == ("int", "fd"):
            yield function, list(from_parameters(function, fields))


def main() -> None:
    found = dict(calls(Path(sys.argv[1])))
    print("/* Generated by test/oracle/calls.py. */")
    print('#include "oracle.h"')
    for function, body in found.items():
        print(f"\nstatic void call_{function}(void)\n{{")
        print("\n".join(body))
        print("}")
    print("\nconst struct oracle_call oracle_generated[] = {")
    for function in found:
        print(f'\t{{ "{function}", call_{function} }},')
    print("\t{},\n};")


if __name__ == "__main__":
    main()
