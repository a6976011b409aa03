/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connecting, disconnecting and the discovery log, between Python's objects and the library's. */
#include "handles.h"

#include "input/portal.h"
#include "input/recorded.h"
#include "shared/cleanup.h"

#define LSP_MAX 0x7f /* the field has seven bits */

enum cfg_kind { CFG_NUMBER, CFG_FLAG, CFG_SERIAL, CFG_TEXT };

/* clang-format off */
#define AT(owner, member) offsetof(struct nvmf_options, NVMF_OPTION_MEMBER(owner, member))
#define TEXT(id, name, json, owner, member, longest, ...) TEXT_##owner(name, member, longest)
#define TEXT_HOST(...)
#define TEXT_CTRL(...)
#define TEXT_PEER(...)
#define TEXT_CFG(name, member, longest) { #name, CFG_TEXT, AT(CFG, member), 0, longest },
#define TEXT_OWN(name, member, longest) { #name, CFG_TEXT, AT(OWN, member), 0, longest },
#define KEY(id, name, ...) { #name, CFG_SERIAL, AT(CFG, name), 0, LONG_MAX },
#define NUMBER(id, name, owner, least, most, ...) { #name, CFG_NUMBER, AT(owner, name), least, most },
#define FLAG(id, name, owner, ...) { #name, CFG_FLAG, AT(owner, name), 0, 1 },

static const struct cfg_key {
	const char *name;
	enum cfg_kind kind;
	size_t offset;
	long least, most; /* a text has @most bytes */
} cfg_keys[] = {
	NVMF_OPTIONS(NVMF_NO_ROW, TEXT, KEY, NUMBER, FLAG, NVMF_NO_ROW)
};
/* clang-format on */

#define N_CFG_KEYS (sizeof(cfg_keys) / sizeof(cfg_keys[0]))

static const struct cfg_key *cfg_find(const char *name)
{
	for (size_t i = 0; i < N_CFG_KEYS; i++)
		if (!strcmp(cfg_keys[i].name, name))
			return &cfg_keys[i];
	return NULL;
}

/* str or bytes; the result is borrowed from @value. */
static const char *cfg_string(const char *name, PyObject *value)
{
	const char *string = NULL;
	Py_ssize_t length = 0;

	if (PyUnicode_Check(value)) {
		string = PyUnicode_AsUTF8AndSize(value, &length);
		if (!string)
			return NULL;
	} else if (PyBytes_Check(value)) {
		string = PyBytes_AS_STRING(value);
		length = PyBytes_GET_SIZE(value);
	} else {
		PyErr_Format(PyExc_TypeError, "cfg['%s'] must be str, not %s", name,
			     Py_TYPE(value)->tp_name);
		return NULL;
	}
	if (strlen(string) != (size_t)length) {
		PyErr_Format(PyExc_ValueError, "cfg['%s'] holds a null character", name);
		return NULL;
	}
	for (Py_ssize_t i = 0; i < length; i++) {
		if ((unsigned char)string[i] >= 0x80) {
			PyErr_Format(PyExc_ValueError, "cfg['%s'] is not ASCII", name);
			return NULL;
		}
	}
	return string;
}

static int cfg_set_text(const struct cfg_key *key, PyObject *value, void *field)
{
	const char *string = cfg_string(key->name, value);

	if (!string)
		return -1;
	if (strlen(string) > (size_t)key->most) {
		PyErr_Format(PyExc_ValueError, "cfg['%s'] is longer than %ld characters", key->name,
			     key->most);
		return -1;
	}
	*(const char **)field = string;
	return 0;
}

static int cfg_set_number(const struct cfg_key *key, PyObject *value, void *field)
{
	int overflow = 0;
	long number;

	if (!PyLong_Check(value)) {
		PyErr_Format(PyExc_TypeError, "cfg['%s'] must be int, not %s", key->name,
			     Py_TYPE(value)->tp_name);
		return -1;
	}
	number = PyLong_AsLongAndOverflow(value, &overflow);
	if (number == -1 && PyErr_Occurred())
		return -1;
	if (overflow || (key->kind == CFG_NUMBER && (number < INT_MIN || number > INT_MAX))) {
		PyErr_Format(PyExc_OverflowError, "cfg['%s'] is %S, which does not fit a C int",
			     key->name, value);
		return -1;
	}
	if (number < key->least || number > key->most) {
		PyErr_Format(PyExc_ValueError, "cfg['%s'] is %S, not from %ld to %ld", key->name,
			     value, key->least, key->most);
		return -1;
	}
	if (key->kind == CFG_SERIAL)
		*(long *)field = number;
	else
		*(int *)field = (int)number;
	return 0;
}

static int cfg_set(struct nvmf_options *options, const struct cfg_key *key, PyObject *value)
{
	void *field = (char *)options + key->offset;

	if (key->kind == CFG_TEXT)
		return cfg_set_text(key, value, field);
	if (key->kind != CFG_FLAG)
		return cfg_set_number(key, value, field);
	/* Anything else is true or false by accident: "no" is true. */
	if (!PyBool_Check(value)) {
		PyErr_Format(PyExc_TypeError, "cfg['%s'] must be a bool, not %s", key->name,
			     Py_TYPE(value)->tp_name);
		return -1;
	}
	*(bool *)field = value == Py_True;
	return 0;
}

int cfg_from_dict(struct nvmf_options *options, PyObject *dict)
{
	PyObject *key, *value;
	Py_ssize_t position = 0;

	nvmf_init_options(options, sizeof(*options));
	if (dict == Py_None)
		return 0;
	if (!PyDict_Check(dict)) {
		PyErr_Format(PyExc_TypeError, "cfg must be a dict or None, not %s",
			     Py_TYPE(dict)->tp_name);
		return -1;
	}
	while (PyDict_Next(dict, &position, &key, &value)) {
		const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : NULL;
		const struct cfg_key *known = name ? cfg_find(name) : NULL;

		if (!known) {
			if (!PyErr_Occurred())
				PyErr_Format(PyExc_KeyError, "cfg has no key %R", key);
			return -1;
		}
		if (value != Py_None && cfg_set(options, known, value))
			return -1;
	}
	return 0;
}

int fabrics_connect(struct ctrl *ctrl, struct host *host, PyObject *dict)
{
	nvme_ctrl_t c = py_ctrl_handle(ctrl);
	nvme_host_t h = py_host_handle(host);
	const struct input_waiter waiter = { py_log_warning, ctrl->tree->r };
	struct nvmf_options options;
	int ret, err;

	if (!c || !h || cfg_from_dict(&options, dict))
		return -1;
	if (ctrl->tree != host->tree) {
		PyErr_SetString(PyExc_ValueError, "host and ctrl belong to different roots");
		return -1;
	}
	if (nvme_ctrl_get_name(c)) {
		PyErr_SetString(PyExc_AttributeError, "Existing controller connection");
		return -1;
	}
	BEGIN_BLOCKING(ctrl->tree);
	ret = nvmf_set_options(c, &options, false);
	if (!ret)
		ret = input_add_ctrl(h, c, &waiter);
	err = errno;
	END_BLOCKING(ctrl->tree);
	if (ret) {
		raise_error(err, nvmf_ctrl_get_connect_error(c));
		return -1;
	}
	ctrl->detached = false;
	ctrl->generation = ctrl->tree->generation;
	return 0;
}

/* What was done to which controller, and why it failed. */
static void raise_for(nvme_ctrl_t c, const char *what, int err)
{
	_cleanup_(free) char *text = NULL;

	if (asprintf(&text, "%s: %s failed: %s%s", nvme_ctrl_get_name(c), what, strerror(err),
		     err == EACCES || err == EPERM ? " (needs root)" : "") < 0)
		text = NULL;
	raise_error(err, text);
}

/* NULL with an exception without a connection. */
static nvme_ctrl_t connected(struct ctrl *ctrl)
{
	nvme_ctrl_t c = py_ctrl_handle(ctrl);

	if (!c || nvme_ctrl_get_name(c))
		return c;
	PyErr_SetString(PyExc_AttributeError, "No controller connection");
	return NULL;
}

int fabrics_disconnect(struct ctrl *ctrl)
{
	nvme_ctrl_t c = connected(ctrl);
	int ret, err;

	if (!c)
		return -1;
	ctrl_end_leaves(ctrl->tree, c);
	BEGIN_BLOCKING(ctrl->tree);
	py_log_errors(false);
	ret = nvme_disconnect_ctrl(c);
	err = errno;
	py_log_errors(true);
	END_BLOCKING(ctrl->tree);
	if (ret)
		raise_for(c, "disconnecting", err);
	return ret;
}

int fabrics_reset(struct ctrl *ctrl)
{
	nvme_ctrl_t c = connected(ctrl);
	int fd, ret = -1, err;

	if (!c)
		return -1;
	BEGIN_BLOCKING(ctrl->tree);
	py_log_errors(false);
	fd = nvme_ctrl_get_fd(c);
	if (fd >= 0)
		ret = nvme_ctrl_reset(fd);
	err = errno;
	py_log_errors(true);
	END_BLOCKING(ctrl->tree);
	if (ret)
		raise_for(c, "resetting", err);
	return ret;
}

/* NULL without an exception where it is at its default. */
static PyObject *cfg_get(const struct cfg_key *key, const void *field, const void *standard)
{
	if (key->kind == CFG_TEXT) {
		const char *string = *(char *const *)field;

		return string ? PyUnicode_DecodeUTF8(string, (Py_ssize_t)strlen(string),
						     "surrogateescape")
			      : NULL;
	}
	if (key->kind == CFG_FLAG)
		return *(const bool *)field ? Py_NewRef(Py_True) : NULL;
	if (key->kind == CFG_SERIAL)
		return *(const long *)field ? PyLong_FromLong(*(const long *)field) : NULL;
	return *(const int *)field != *(const int *)standard ? PyLong_FromLong(*(const int *)field)
							     : NULL;
}

PyObject *fabrics_options(struct ctrl *ctrl)
{
	const size_t at = offsetof(struct nvmf_options, cfg);
	const nvme_ctrl_t c = py_ctrl_handle(ctrl);
	struct nvme_fabrics_config *cfg = c ? nvme_ctrl_get_config(c) : NULL;
	struct nvmf_options standard;
	PyObject *dict = cfg ? PyDict_New() : NULL;

	nvmf_init_options(&standard, sizeof(standard));
	for (size_t i = 0; dict && i < N_CFG_KEYS; i++) {
		const struct cfg_key *key = &cfg_keys[i];
		PyObject *value = NULL;

		if (key->offset >= at && key->offset < at + sizeof(*cfg))
			value = cfg_get(key, (char *)cfg + key->offset - at,
					(char *)&standard + key->offset);
		if (PyErr_Occurred() || (value && dict_put(dict, key->name, value)))
			Py_CLEAR(dict);
	}
	return dict;
}

/* The name where there is one, else the number, as scripts know it. */
static PyObject *name_or_number(const char *name, unsigned int number)
{
	if (name)
		return PyUnicode_FromString(name);
	return PyLong_FromUnsignedLong(number);
}

static const char *pick(const char *const *names, size_t n, unsigned int value)
{
	return value < n ? names[value] : NULL;
}

#define PICK(names, value) pick(names, sizeof(names) / sizeof((names)[0]), value)

static PyObject *entry_trtype(const struct nvmf_disc_log_entry *e)
{
	const char *name = nvmf_trtype_str(e->trtype);

	if (!e->trtype)
		name = "unspecified";
	else if (!nvmf_transport_is_known(name))
		name = NULL;
	return name_or_number(name, e->trtype);
}

static PyObject *entry_tsas(const struct nvmf_disc_log_entry *e)
{
	static const char *const sectypes[] = { "none", "tls", "tls1.3" };
	static const char *const qptypes[] = { NULL, "connected", "datagram" };
	static const char *const prtypes[] = { NULL,   "not specified", "infiniband",
					       "roce", "rocev2",	"iwarp" };
	static const char *const cmses[] = { NULL, "cm" };
#define NAMED(names, value) (PICK(names, value) ? PICK(names, value) : "reserved")

	switch (nvmf_trtype_tsas_kind(e->trtype)) {
	case NVMF_TSAS_TCP:
		return Py_BuildValue("{ss}", "sectype", NAMED(sectypes, e->tsas.tcp.sectype));
	case NVMF_TSAS_RDMA:
		return Py_BuildValue("{ss,ss,ss}", "qptype", NAMED(qptypes, e->tsas.rdma.qptype),
				     "prtype", NAMED(prtypes, e->tsas.rdma.prtype), "cms",
				     NAMED(cmses, e->tsas.rdma.cms));
	default:
		return NULL;
	}
}

/* Bytes of a log need not be UTF-8; what is not is kept as surrogate escapes. */
static PyObject *text(const char *bytes, size_t size)
{
	return PyUnicode_DecodeUTF8(bytes, strnlen(bytes, size), "surrogateescape");
}

PyObject *fabrics_entry(const struct nvmf_disc_log_entry *e)
{
	static const char *const adrfams[] = { "pci", "ipv4", "ipv6", "infiniband", "fc" };
	static const char *const subtypes[] = { NULL, "referral", "nvme", "discovery" };
	static const char *const treqs[] = { "not specified", "required", "not required", NULL,
					     "disable sqflow" };
	PyObject *dict = PyDict_New();

	if (!dict)
		return NULL;
	if (dict_put(dict, "trtype", entry_trtype(e)) ||
	    dict_put(dict, "adrfam", name_or_number(PICK(adrfams, e->adrfam), e->adrfam)) ||
	    dict_put(dict, "traddr", text(e->traddr, sizeof(e->traddr))) ||
	    dict_put(dict, "trsvcid", text(e->trsvcid, sizeof(e->trsvcid))) ||
	    dict_put(dict, "subnqn", text(e->subnqn, sizeof(e->subnqn))) ||
	    dict_put(dict, "subtype", name_or_number(PICK(subtypes, e->subtype), e->subtype)) ||
	    dict_put(dict, "treq", name_or_number(PICK(treqs, e->treq), e->treq)) ||
	    (nvmf_trtype_tsas_kind(e->trtype) != NVMF_TSAS_NONE &&
	     dict_put(dict, "tsas", entry_tsas(e))) ||
	    dict_put(dict, "portid", PyLong_FromLong(le16toh(e->portid))) ||
	    dict_put(dict, "cntlid", PyLong_FromLong(le16toh(e->cntlid))) ||
	    dict_put(dict, "asqsz", PyLong_FromLong(le16toh(e->asqsz))) ||
	    dict_put(dict, "eflags", PyLong_FromLong(le16toh(e->eflags)))) {
		Py_DECREF(dict);
		return NULL;
	}
	return dict;
}

static PyObject *entries_of(const struct nvmf_discovery_log *log)
{
	PyObject *list = PyList_New(0);

	for (uint64_t i = 0; list && i < le64toh(log->numrec); i++) {
		PyObject *entry = fabrics_entry(&log->entries[i]);

		if (!entry || PyList_Append(list, entry))
			Py_CLEAR(list);
		Py_XDECREF(entry);
	}
	return list;
}

PyObject *fabrics_discovery_log(struct ctrl *ctrl, int lsp, int max_retries,
				unsigned int timeout_ms)
{
	nvme_ctrl_t c = connected(ctrl);
	struct nvme_get_discovery_args args = {
		.c = c,
		.args_size = sizeof(args),
		.max_retries = max_retries,
		.timeout = timeout_ms,
		.lsp = (__u8)lsp,
	};
	struct nvmf_discovery_log *log;
	PyObject *list;
	int err;

	if (lsp < 0 || lsp > LSP_MAX)
		return PyErr_Format(PyExc_ValueError, "discover: argument 'lsp' is %d, not 0 to %d",
				    lsp, LSP_MAX);
	if (!c)
		return NULL;
	BEGIN_BLOCKING(ctrl->tree);
	log = nvmf_get_discovery_wargs(&args);
	err = errno;
	END_BLOCKING(ctrl->tree);
	if (!log) {
		raise_error(err, NULL);
		return NULL;
	}
	list = entries_of(log);
	free(log);
	return list;
}

/* Python's lock is not needed: the portal has copies. */
static bool is_silent(struct portals *portals, const struct portal *portal)
{
	bool ret;

	Py_BEGIN_ALLOW_THREADS;
	while (!portals_wait(portals, false))
		;
	ret = portal && portal_answer(portal) == PORTAL_SILENT;
	Py_END_ALLOW_THREADS;
	return ret;
}

PyObject *fabrics_silent(struct ctrl *ctrl, PyObject *dict, unsigned int timeout_ms)
{
	nvme_ctrl_t c = py_ctrl_handle(ctrl);
	struct nvmf_options options;
	struct portal_address to;
	struct portals *portals;
	struct portal *portal;
	PyObject *ret;

	if (!c || cfg_from_dict(&options, dict))
		return NULL;
	to = (struct portal_address){
		.transport = nvme_ctrl_get_transport(c),
		.traddr = nvme_ctrl_get_traddr(c),
		.trsvcid = nvme_ctrl_get_trsvcid(c),
		.host_traddr = options.cfg.host_traddr ? options.cfg.host_traddr
						       : nvme_ctrl_get_host_traddr(c),
		.host_iface = options.cfg.host_iface ? options.cfg.host_iface
						     : nvme_ctrl_get_host_iface(c),
		.discovery = nvme_ctrl_is_discovery_ctrl(c),
	};
	portals = portals_new(timeout_ms);
	if (!portals)
		return PyErr_NoMemory();
	portal = portals_add(portals, &to);
	if (is_silent(portals, portal)) {
		_cleanup_(free) char *text = portal_failure_text(portals, portal);

		ret = text ? Py_BuildValue("is", portal_error(portal), text) : PyErr_NoMemory();
	} else {
		ret = Py_NewRef(Py_None);
	}
	portals_free(portals);
	return ret;
}

PyObject *fabrics_register(struct ctrl *ctrl, int tas)
{
	nvme_ctrl_t c = py_ctrl_handle(ctrl);
	__u32 result = 0;
	int status, err;

	if (!c)
		return NULL;
	BEGIN_BLOCKING(ctrl->tree);
	status = nvmf_register_ctrl(c, tas, &result);
	err = errno;
	END_BLOCKING(ctrl->tree);
	if (!status)
		Py_RETURN_NONE;
	if (status < 0)
		return PyUnicode_FromFormat("Status:0x%04x - %s", err, strerror(err));
	return PyUnicode_FromFormat("Result:0x%04x, Status:0x%04x - %s", result, status,
				    nvme_status_to_string(status, true));
}

PyObject *fabrics_log_pages(struct ctrl *ctrl, bool rae)
{
	nvme_ctrl_t c = py_ctrl_handle(ctrl);
	struct nvme_supported_log_pages log = { 0 };
	PyObject *list;
	int ret;

	if (!c)
		return NULL;
	BEGIN_BLOCKING(ctrl->tree);
	ret = nvme_get_log_supported_log_pages(nvme_ctrl_get_fd(c), rae, &log);
	END_BLOCKING(ctrl->tree);
	if (ret)
		Py_RETURN_NONE;
	list = PyList_New(NVME_LOG_SUPPORTED_LOG_PAGES_MAX);
	for (Py_ssize_t i = 0; list && i < NVME_LOG_SUPPORTED_LOG_PAGES_MAX; i++) {
		PyObject *support = PyLong_FromUnsignedLong(le32toh(log.lid_support[i]));

		if (support)
			PyList_SET_ITEM(list, i, support);
		else
			Py_CLEAR(list);
	}
	return list;
}
