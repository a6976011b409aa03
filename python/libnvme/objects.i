/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The classes root, host, subsystem, ctrl, ns and path. */

%{
/* What the library lends is copied into Python strings; NULL becomes None. */
#define GET(tag, type, property, getter)                                                           \
	static type tag##_##property##_get(struct tag *self)                                       \
	{                                                                                          \
		__auto_type handle = py_##tag##_handle(self);                                           \
                                                                                                   \
		return handle ? (type)getter(handle) : (type)0;                                    \
	}

#define SET(tag, type, property, setter)                                                           \
	static void tag##_##property##_set(struct tag *self, type value)                           \
	{                                                                                          \
		__auto_type handle = py_##tag##_handle(self);                                           \
                                                                                                   \
		if (handle)                                                                        \
			setter(handle, value);                                                     \
	}

static PyObject *bytes_of(const void *bytes, Py_ssize_t size)
{
	return bytes ? PyBytes_FromStringAndSize(bytes, size) : NULL;
}

static PyObject *uuid_of(nvme_ns_t n)
{
	unsigned char uuid[NVME_UUID_LEN];

	nvme_ns_get_uuid(n, uuid);
	return bytes_of(uuid, sizeof(uuid));
}

/* In bytes; NULL where it is not known. */
static PyObject *bytes_in(int block_size, uint64_t blocks)
{
	if (block_size > 0)
		return PyLong_FromUnsignedLongLong(blocks * (uint64_t)block_size);
	Py_RETURN_NONE;
}

/* What is made of a live handle. */
#define MAKE(tag, type, property, of_handle)                                                       \
	static type tag##_##property##_get(struct tag *self)                                       \
	{                                                                                          \
		__auto_type handle = py_##tag##_handle(self);                                           \
                                                                                                   \
		return handle ? of_handle : NULL;                                                  \
	}

/* Read at every call: the library keeps no accessor for these. */
static PyObject *ctrl_attribute(struct ctrl *self, const char *attribute)
{
	nvme_ctrl_t c = py_ctrl_handle(self);
	char *value = c && nvme_ctrl_get_name(c) ? nvme_get_ctrl_attr(c, attribute) : NULL;
	PyObject *string = NULL;

	if (value)
		string = PyUnicode_DecodeUTF8(value, strlen(value), "surrogateescape");
	free(value);
	if (string || PyErr_Occurred())
		return string;
	Py_RETURN_NONE;
}

static const char *root_config_file_get(struct root *self)
{
	return self->tree->config_file;
}

/* The sibling after @last, or the first one when @last is None; both of one tree. */
#define NEXT(name_first, name_next, parent, child, first, next)                                    \
	static struct child *name_first(struct parent *above)                                      \
	{                                                                                          \
		__auto_type handle = py_##parent##_handle(above);                                       \
                                                                                                   \
		return handle ? py_##child##_new(above->tree, first(handle)) : NULL;                    \
	}                                                                                          \
	static struct child *name_next(struct parent *above, struct child *last)                   \
	{                                                                                          \
		__auto_type handle = py_##parent##_handle(above);                                       \
		__auto_type before = handle && last ? py_##child##_handle(last) : NULL;                 \
                                                                                                   \
		if (before && above->tree != last->tree)                                           \
			PyErr_SetString(PyExc_ValueError, "objects of different roots");           \
		if (!before || PyErr_Occurred())                                                   \
			return NULL;                                                               \
		return py_##child##_new(above->tree, next(handle, before));                             \
	}
%}

%define DOC(name, text)
%feature("docstring") name text;
%enddef

/* A property: of a function that the wrapper calls, of the library's getter of that name or another one, of
 * what is made of the handle, and one that can be set. */
%define PROPERTY(tag, type, name, text)
DOC(tag::name, text)
%extend tag {
	%immutable;
	type name;
	%mutable;
}
%enddef
%define READ_BY(tag, type, name, getter, text)
%insert("header") { GET(tag, type, name, getter) }
PROPERTY(tag, type, name, text)
%enddef
%define READ(tag, type, name, text)
READ_BY(tag, type, name, nvme_##tag##_get_##name, text)
%enddef
%define MADE(tag, type, name, of_handle, text)
%insert("header") { MAKE(tag, type, name, of_handle) }
PROPERTY(tag, type, name, text)
%enddef
%define WRITE(tag, type, name, get, text)
%insert("header") {
GET(tag, type, name, nvme_##tag##_##get##_##name)
SET(tag, type, name, nvme_##tag##_set_##name)
}
DOC(tag::name, text)
%extend tag {
	type name;
}
%enddef

/* Both functions of NEXT() under the library's names, which scripts know with these keywords. */
%define ITERATE(name_first, name_next, parent, child, first, next, above, last, text, last_text)
%insert("header") { NEXT(name_first, name_next, parent, child, first, next) }
%newobject name_first;
%newobject name_next;
%rename(first) name_first;
%rename(next) name_next;
DOC(name_first, text)
DOC(name_next, last_text)
struct child *name_first(struct parent *above);
struct child *name_next(struct parent *above, struct child *last);
%enddef

ITERATE(first_host, next_host, root, host, nvme_first_host, nvme_next_host, r, h,
	"The first host, or None; root.hosts() goes through all.", "The host after h, or None.")
ITERATE(first_subsystem, next_subsystem, host, subsystem, nvme_first_subsystem, nvme_next_subsystem, h, s,
	"The first subsystem, or None; host.subsystems() goes through all.", "The subsystem after s, or None.")
ITERATE(subsystem_first_ctrl, subsystem_next_ctrl, subsystem, ctrl, nvme_subsystem_first_ctrl, nvme_subsystem_next_ctrl, s, c,
	"The first controller, or None; s.controllers() goes through all.", "The controller after c, or None.")
ITERATE(subsystem_first_ns, subsystem_next_ns, subsystem, ns, nvme_subsystem_first_ns, nvme_subsystem_next_ns, s, n,
	"The first namespace, or None; s.namespaces() goes through all.", "The namespace after ns, or None.")
ITERATE(ctrl_first_ns, ctrl_next_ns, ctrl, ns, nvme_ctrl_first_ns, nvme_ctrl_next_ns, c, n,
	"The first namespace of c alone, or None; c.namespaces() goes through all.", "The namespace after ns, or None.")
ITERATE(ctrl_first_path, ctrl_next_path, ctrl, path, nvme_ctrl_first_path, nvme_ctrl_next_path, c, p,
	"The first path, or None; c.paths() goes through all.", "The path after p, or None.")
ITERATE(ns_first_path, ns_next_path, ns, path, nvme_namespace_first_path, nvme_namespace_next_path, ns, p,
	"The first path, or None; ns.paths() goes through all.", "The path after p, or None.")

%pythoncode %{
def _each(first, following, parent):
    child = first(parent)
    while child is not None:
        yield child
        child = following(parent, child)


class _Context:
    """with-statement support; leaving the block does nothing to the object."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None
%}

%nodefaultctor;
%newobject subsystem::host;
%newobject ctrl::subsystem;
%newobject path::ctrl;
%newobject path::ns;
%newobject ns::subsystem;

DOC(root, "Everything NVMe that the kernel has; all other objects belong to one.")
struct root {};
PROPERTY(root, const char *, config_file, "The file that it was made with.")
WRITE(root, const char *, application, get,
     "The application whose subsystems are scanned; None: all.")

DOC(host, "A host: who connects, by name, identifier and keys.")
struct host {};
READ(host, const char *, hostnqn, "Its NVMe qualified name.")
READ(host, const char *, hostid, "Its identifier, a UUID as text.")
READ(host, const char *, hostsymname, "The symbolic name that discovery controllers are told.")
WRITE(host, const char *, dhchap_key, get,
     "The host's secret for DH-HMAC-CHAP, DHHC-1:...; None clears it.")

DOC(subsystem, "A subsystem: its controllers, and the namespaces behind them.")
struct subsystem {};
READ(subsystem, const char *, name,
     "Such as nvme-subsys0; None until a controller of it is connected.")
READ_BY(subsystem, const char *, subsysnqn, nvme_subsystem_get_nqn, "Its NVMe qualified name.")
READ(subsystem, const char *, model, "Its model number.")
READ(subsystem, const char *, serial, "Its serial number.")
READ_BY(subsystem, const char *, firmware, nvme_subsystem_get_fw_rev, "Its firmware revision.")
READ_BY(subsystem, const char *, subsystype, nvme_subsystem_get_type, "nvm or discovery.")
READ(subsystem, const char *, sysfs_dir, "Its directory in sysfs.")
READ(subsystem, const char *, iopolicy,
     "How I/O is spread over paths: numa, round-robin or queue-depth.")
MADE(subsystem, struct host *, host, py_host_new(self->tree, nvme_subsystem_get_host(handle)),
     "The host that it belongs to.")
WRITE(subsystem, const char *, application, get, "The application that it is for.")

DOC(ctrl, "A controller: one association of a host with a subsystem.")
struct ctrl {};
READ(ctrl, const char *, name, "Such as nvme0; None until it is connected.")
READ(ctrl, const char *, state, "Such as live or connecting, read at every call.")
READ(ctrl, const char *, sysfs_dir, "Its directory in sysfs.")
READ(ctrl, const char *, address, "Its address as the kernel writes it: traddr=...,trsvcid=...")
READ(ctrl, const char *, firmware, "Its firmware revision.")
READ(ctrl, const char *, model, "Its model number.")
READ(ctrl, const char *, serial, "Its serial number.")
READ(ctrl, const char *, numa_node, "Its NUMA node as text; -1 if it has none.")
READ(ctrl, const char *, queue_count, "Its queues as text, the admin queue included.")
READ(ctrl, const char *, sqsize, "The size of its queues as text, counted from 0.")
READ(ctrl, const char *, transport, "Such as mptcp or tcp.")
READ(ctrl, const char *, subsysnqn, "The name of its subsystem.")
READ(ctrl, const char *, traddr, "The address that it is connected to.")
READ(ctrl, const char *, trsvcid, "The port that it is connected to.")
READ(ctrl, const char *, host_traddr,
     "The address that it is connected from, if one was asked for.")
READ(ctrl, const char *, host_iface,
     "The network interface that it is bound to, if one was asked for.")
MADE(ctrl, PyObject *, cntrltype, ctrl_attribute(self, "cntrltype"), "io, discovery or admin.")
READ(ctrl, const char *, cntlid, "Its identifier within the subsystem, as text.")
MADE(ctrl, PyObject *, dctype, ctrl_attribute(self, "dctype"),
     "Of a discovery controller: none, ddc or cdc.")
READ(ctrl, const char *, phy_slot, "The PCI slot that it is in.")
READ_BY(ctrl, bool, discovered, nvme_ctrl_is_discovered, "Was it found by discovery?")
MADE(ctrl, struct subsystem *, subsystem, py_subsystem_new(self->tree, nvme_ctrl_get_subsystem(handle)),
     "The subsystem that it belongs to; None until it is connected.")
WRITE(ctrl, bool, discovery_ctrl, is, "Is it to be connected as a discovery controller?")
WRITE(ctrl, bool, unique_discovery_ctrl, is, "Has that discovery controller a name of its own?")
WRITE(ctrl, bool, persistent, is, "Does it stay when the program ends?")
WRITE(ctrl, const char *, keyring, get, "The keyring of its TLS key.")
WRITE(ctrl, const char *, tls_key_identity, get, "The identity of its TLS key.")
WRITE(ctrl, const char *, tls_key, get, "Its TLS key.")
WRITE(ctrl, const char *, dhchap_key, get, "The controller's secret for DH-HMAC-CHAP.")
WRITE(ctrl, const char *, dhchap_host_key, get,
     "The host's secret for DH-HMAC-CHAP with this controller.")

DOC(ns, "A namespace.")
struct ns {};
READ(ns, int, nsid, "Its id.")
READ(ns, const char *, name, "Such as nvme0n1.")
MADE(ns, PyObject *, eui64, bytes_of(nvme_ns_get_eui64(handle), 8),
     "Its EUI-64, 8 bytes; zero if it has none.")
MADE(ns, PyObject *, nguid, bytes_of(nvme_ns_get_nguid(handle), 16),
     "Its NGUID, 16 bytes; zero if it has none.")
MADE(ns, PyObject *, uuid, uuid_of(handle), "Its UUID, 16 bytes; zero if it has none.")
READ(ns, const char *, sysfs_dir, "Its directory in sysfs.")
MADE(ns, PyObject *, size, bytes_in(nvme_ns_get_lba_size(handle), nvme_ns_get_lba_count(handle)),
     "Its size in bytes; None if the kernel does not tell.")
MADE(ns, PyObject *, block_size, bytes_in(nvme_ns_get_lba_size(handle), 1),
     "The size of its blocks in bytes; None if the kernel does not tell.")
MADE(ns, PyObject *, used, bytes_in(nvme_ns_get_lba_size(handle), nvme_ns_get_lba_util(handle)),
     "How many bytes of it are in use, as the controller counts (NUSE).")
MADE(ns, struct subsystem *, subsystem, py_subsystem_new(self->tree, nvme_ns_get_subsystem(handle)),
     "The subsystem that it belongs to.")

DOC(path, "A way to a shared namespace through one controller; only paths() makes them.")
struct path {};
READ(path, const char *, name, "Such as nvme0c1n1.")
READ(path, const char *, ana_state, "Such as optimized; None without ANA.")
READ(path, const char *, numa_nodes, "The NUMA nodes that it serves.")
READ(path, int, queue_depth,
     "Requests under way; 0 unless the subsystem's iopolicy is queue-depth.")
READ(path, const char *, sysfs_dir, "Its directory in sysfs.")
MADE(path, struct ctrl *, ctrl, py_ctrl_new(self->tree, nvme_path_get_ctrl(handle)),
     "The controller that it leads through.")
MADE(path, struct ns *, ns, py_ns_new(self->tree, nvme_path_get_ns(handle)),
     "The namespace that it leads to.")

DOC(hostnqn_from_file, "The host NQN of the file /etc/nvme/hostnqn; None if there is none.")
DOC(hostid_from_file, "The host identifier of the file /etc/nvme/hostid; None if there is none.")

%include "methods.i"
