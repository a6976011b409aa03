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

GET(root, const char *, application, nvme_root_get_application)
SET(root, const char *, application, nvme_root_set_application)

GET(host, const char *, hostnqn, nvme_host_get_hostnqn)
GET(host, const char *, hostid, nvme_host_get_hostid)
GET(host, const char *, hostsymname, nvme_host_get_hostsymname)
GET(host, const char *, dhchap_key, nvme_host_get_dhchap_key)
SET(host, const char *, dhchap_key, nvme_host_set_dhchap_key)

GET(subsystem, const char *, name, nvme_subsystem_get_name)
GET(subsystem, const char *, subsysnqn, nvme_subsystem_get_nqn)
GET(subsystem, const char *, model, nvme_subsystem_get_model)
GET(subsystem, const char *, serial, nvme_subsystem_get_serial)
GET(subsystem, const char *, firmware, nvme_subsystem_get_fw_rev)
GET(subsystem, const char *, subsystype, nvme_subsystem_get_type)
GET(subsystem, const char *, sysfs_dir, nvme_subsystem_get_sysfs_dir)
GET(subsystem, const char *, iopolicy, nvme_subsystem_get_iopolicy)
GET(subsystem, const char *, application, nvme_subsystem_get_application)
SET(subsystem, const char *, application, nvme_subsystem_set_application)

GET(ctrl, const char *, name, nvme_ctrl_get_name)
GET(ctrl, const char *, state, nvme_ctrl_get_state)
GET(ctrl, const char *, sysfs_dir, nvme_ctrl_get_sysfs_dir)
GET(ctrl, const char *, address, nvme_ctrl_get_address)
GET(ctrl, const char *, firmware, nvme_ctrl_get_firmware)
GET(ctrl, const char *, model, nvme_ctrl_get_model)
GET(ctrl, const char *, serial, nvme_ctrl_get_serial)
GET(ctrl, const char *, numa_node, nvme_ctrl_get_numa_node)
GET(ctrl, const char *, queue_count, nvme_ctrl_get_queue_count)
GET(ctrl, const char *, sqsize, nvme_ctrl_get_sqsize)
GET(ctrl, const char *, transport, nvme_ctrl_get_transport)
GET(ctrl, const char *, subsysnqn, nvme_ctrl_get_subsysnqn)
GET(ctrl, const char *, traddr, nvme_ctrl_get_traddr)
GET(ctrl, const char *, trsvcid, nvme_ctrl_get_trsvcid)
GET(ctrl, const char *, host_traddr, nvme_ctrl_get_host_traddr)
GET(ctrl, const char *, host_iface, nvme_ctrl_get_host_iface)
GET(ctrl, const char *, cntlid, nvme_ctrl_get_cntlid)
GET(ctrl, const char *, phy_slot, nvme_ctrl_get_phy_slot)
GET(ctrl, bool, discovered, nvme_ctrl_is_discovered)
GET(ctrl, bool, discovery_ctrl, nvme_ctrl_is_discovery_ctrl)
SET(ctrl, bool, discovery_ctrl, nvme_ctrl_set_discovery_ctrl)
GET(ctrl, bool, unique_discovery_ctrl, nvme_ctrl_is_unique_discovery_ctrl)
SET(ctrl, bool, unique_discovery_ctrl, nvme_ctrl_set_unique_discovery_ctrl)
GET(ctrl, bool, persistent, nvme_ctrl_is_persistent)
SET(ctrl, bool, persistent, nvme_ctrl_set_persistent)
GET(ctrl, const char *, keyring, nvme_ctrl_get_keyring)
SET(ctrl, const char *, keyring, nvme_ctrl_set_keyring)
GET(ctrl, const char *, tls_key_identity, nvme_ctrl_get_tls_key_identity)
SET(ctrl, const char *, tls_key_identity, nvme_ctrl_set_tls_key_identity)
GET(ctrl, const char *, tls_key, nvme_ctrl_get_tls_key)
SET(ctrl, const char *, tls_key, nvme_ctrl_set_tls_key)
GET(ctrl, const char *, dhchap_key, nvme_ctrl_get_dhchap_key)
SET(ctrl, const char *, dhchap_key, nvme_ctrl_set_dhchap_key)
GET(ctrl, const char *, dhchap_host_key, nvme_ctrl_get_dhchap_host_key)
SET(ctrl, const char *, dhchap_host_key, nvme_ctrl_set_dhchap_host_key)

GET(ns, int, nsid, nvme_ns_get_nsid)
GET(ns, const char *, name, nvme_ns_get_name)
GET(ns, const char *, sysfs_dir, nvme_ns_get_sysfs_dir)

GET(path, const char *, name, nvme_path_get_name)
GET(path, const char *, ana_state, nvme_path_get_ana_state)
GET(path, const char *, numa_nodes, nvme_path_get_numa_nodes)
GET(path, int, queue_depth, nvme_path_get_queue_depth)
GET(path, const char *, sysfs_dir, nvme_path_get_sysfs_dir)

static PyObject *bytes_of(const void *bytes, Py_ssize_t size)
{
	return bytes ? PyBytes_FromStringAndSize(bytes, size) : NULL;
}

static PyObject *ns_uuid_get(struct ns *self)
{
	unsigned char uuid[NVME_UUID_LEN];
	nvme_ns_t n = py_ns_handle(self);

	if (!n)
		return NULL;
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
#define MADE(tag, type, property, of_handle)                                                       \
	static type tag##_##property##_get(struct tag *self)                                       \
	{                                                                                          \
		__auto_type handle = py_##tag##_handle(self);                                           \
                                                                                                   \
		return handle ? of_handle : NULL;                                                  \
	}

MADE(ns, PyObject *, eui64, bytes_of(nvme_ns_get_eui64(handle), 8))
MADE(ns, PyObject *, nguid, bytes_of(nvme_ns_get_nguid(handle), 16))
MADE(ns, PyObject *, size, bytes_in(nvme_ns_get_lba_size(handle), nvme_ns_get_lba_count(handle)))
MADE(ns, PyObject *, used, bytes_in(nvme_ns_get_lba_size(handle), nvme_ns_get_lba_util(handle)))
MADE(ns, PyObject *, block_size, bytes_in(nvme_ns_get_lba_size(handle), 1))
MADE(ns, struct subsystem *, subsystem,
     py_subsystem_new(self->tree, nvme_ns_get_subsystem(handle)))
MADE(subsystem, struct host *, host, py_host_new(self->tree, nvme_subsystem_get_host(handle)))
MADE(ctrl, struct subsystem *, subsystem,
     py_subsystem_new(self->tree, nvme_ctrl_get_subsystem(handle)))
MADE(path, struct ctrl *, ctrl, py_ctrl_new(self->tree, nvme_path_get_ctrl(handle)))
MADE(path, struct ns *, ns, py_ns_new(self->tree, nvme_path_get_ns(handle)))

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

static PyObject *ctrl_cntrltype_get(struct ctrl *self)
{
	return ctrl_attribute(self, "cntrltype");
}

static PyObject *ctrl_dctype_get(struct ctrl *self)
{
	return ctrl_attribute(self, "dctype");
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

NEXT(first_host, next_host, root, host, nvme_first_host, nvme_next_host)
NEXT(first_subsystem, next_subsystem, host, subsystem, nvme_first_subsystem, nvme_next_subsystem)
NEXT(subsystem_first_ctrl, subsystem_next_ctrl, subsystem, ctrl, nvme_subsystem_first_ctrl,
     nvme_subsystem_next_ctrl)
NEXT(subsystem_first_ns, subsystem_next_ns, subsystem, ns, nvme_subsystem_first_ns,
     nvme_subsystem_next_ns)
NEXT(ctrl_first_ns, ctrl_next_ns, ctrl, ns, nvme_ctrl_first_ns, nvme_ctrl_next_ns)
NEXT(ctrl_first_path, ctrl_next_path, ctrl, path, nvme_ctrl_first_path, nvme_ctrl_next_path)
NEXT(ns_first_path, ns_next_path, ns, path, nvme_namespace_first_path, nvme_namespace_next_path)
%}

/* Declares both functions of NEXT() under the names, and with the keywords, that scripts know. */
%define ITERATE(name_first, name_next, py_first, py_next, parent, child, above, last)
%newobject name_first;
%newobject name_next;
%rename(py_first) name_first;
%rename(py_next) name_next;
struct child *name_first(struct parent *above);
struct child *name_next(struct parent *above, struct child *last);
%enddef

ITERATE(first_host, next_host, nvme_first_host, nvme_next_host, root, host, r, h)
ITERATE(first_subsystem, next_subsystem, nvme_first_subsystem, nvme_next_subsystem, host, subsystem, h, s)
ITERATE(subsystem_first_ctrl, subsystem_next_ctrl, nvme_subsystem_first_ctrl, nvme_subsystem_next_ctrl, subsystem, ctrl, s, c)
ITERATE(subsystem_first_ns, subsystem_next_ns, nvme_subsystem_first_ns, nvme_subsystem_next_ns, subsystem, ns, s, n)
ITERATE(ctrl_first_ns, ctrl_next_ns, nvme_ctrl_first_ns, nvme_ctrl_next_ns, ctrl, ns, c, n)
ITERATE(ctrl_first_path, ctrl_next_path, nvme_ctrl_first_path, nvme_ctrl_next_path, ctrl, path, c, p)
ITERATE(ns_first_path, ns_next_path, nvme_namespace_first_path, nvme_namespace_next_path, ns, path, ns, p)

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

struct root {
	%extend {
		%immutable;
		const char *config_file;
		%mutable;
		const char *application;
	}
};

struct host {
	%extend {
		%immutable;
		const char *hostnqn;
		const char *hostid;
		const char *hostsymname;
		%mutable;
		const char *dhchap_key;
	}
};

struct subsystem {
	%extend {
		%immutable;
		const char *name;
		const char *subsysnqn;
		const char *model;
		const char *serial;
		const char *firmware;
		const char *subsystype;
		const char *sysfs_dir;
		const char *iopolicy;
		struct host *host;
		%mutable;
		const char *application;
	}
};

struct ctrl {
	%extend {
		%immutable;
		const char *name;
		const char *state;
		const char *sysfs_dir;
		const char *address;
		const char *firmware;
		const char *model;
		const char *serial;
		const char *numa_node;
		const char *queue_count;
		const char *sqsize;
		const char *transport;
		const char *subsysnqn;
		const char *traddr;
		const char *trsvcid;
		const char *host_traddr;
		const char *host_iface;
		PyObject *cntrltype;
		const char *cntlid;
		PyObject *dctype;
		const char *phy_slot;
		bool discovered;
		struct subsystem *subsystem;
		%mutable;
		bool discovery_ctrl;
		bool unique_discovery_ctrl;
		bool persistent;
		const char *keyring;
		const char *tls_key_identity;
		const char *tls_key;
		const char *dhchap_key;
		const char *dhchap_host_key;
	}
};

struct ns {
	%extend {
		%immutable;
		int nsid;
		const char *name;
		PyObject *eui64;
		PyObject *nguid;
		PyObject *uuid;
		const char *sysfs_dir;
		PyObject *size;
		PyObject *block_size;
		PyObject *used;
		struct subsystem *subsystem;
	}
};

struct path {
	%extend {
		%immutable;
		const char *name;
		const char *ana_state;
		const char *numa_nodes;
		int queue_depth;
		const char *sysfs_dir;
		struct ctrl *ctrl;
		struct ns *ns;
	}
};

%include "methods.i"
