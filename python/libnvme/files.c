/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files below /etc/nvme describe, read as nvme connect-all reads it, between Python's objects
 * and src/input/.
 */
#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "input/config-files.h"
#include "input/discovery-conf.h"
#include "input/escape.h"
#include "shared/cleanup.h"
#include "shared/mask.h"

/* A sentence of src/input/, fit to be shown; keys stay out of it. To be freed. */
static char *shown(const char *why)
{
	_cleanup_(free) char *masked = why ? mask_secrets(why, NULL, 0) : NULL;

	return masked ? escape_text(masked, strlen(masked)) : NULL;
}

static void raise_why(int err, const char *why)
{
	_cleanup_(free) char *text = shown(why);

	raise_error(abs(err), text);
}

struct root *files_read(struct root *like, const char *file)
{
	struct root *root = py_root_empty(like);
	_cleanup_(free) char *why = NULL;
	struct input_config into;
	int err;

	if (!root)
		return NULL;
	if (!root->tree->mptcp)
		root->tree->mptcp = nvme_mptcp_config_new();
	if (!root->tree->mptcp) {
		PyErr_NoMemory();
		py_root_free(root);
		return NULL;
	}
	into = (struct input_config){ root->tree->r, root->tree->mptcp };
	BEGIN_BLOCKING(root->tree);
	err = input_read_files(&into, file ? file : CONFIG_FILE, file, &why);
	END_BLOCKING(root->tree);
	if (!err)
		return root;
	raise_why(err, why);
	py_root_free(root);
	return NULL;
}

void files_scan(struct root *root, const char *context)
{
	const struct input_scan scan = { .context = context };
	nvme_root_t r = py_root_handle(root);
	_cleanup_(free) char *why = NULL;
	int err;

	if (!r)
		return;
	BEGIN_BLOCKING(root->tree);
	err = input_scan(r, &scan, &why);
	END_BLOCKING(root->tree);
	if (err)
		raise_why(err, why);
}

struct host *files_host(struct root *root, const char *hostnqn, const char *hostid)
{
	nvme_root_t r = py_root_handle(root);
	_cleanup_(free) char *why = NULL;
	nvme_host_t h;

	if (!r)
		return NULL;
	h = input_host(r, hostnqn, hostid, &why);
	if (h)
		return py_host_new(root->tree, h);
	raise_why(EINVAL, why);
	return NULL;
}

bool files_is_meant(struct host *host, const char *hostnqn, const char *hostid)
{
	nvme_host_t h = py_host_handle(host);

	return h && input_host_is_meant(h, hostnqn, hostid);
}

static PyObject *notes_of(nvme_mptcp_plan_t plan)
{
	PyObject *notes = PyList_New(0);
	enum nvme_mptcp_role side;
	const char *text, *command;

	for (size_t i = 0; notes && plan && (text = nvme_mptcp_plan_note(plan, i, &side, &command));
	     i++) {
		PyObject *note = PyUnicode_FromString(text);

		if (!note || PyList_Append(notes, note))
			Py_CLEAR(notes);
		Py_XDECREF(note);
	}
	return notes;
}

PyObject *files_apply_mptcp(struct root *root, const char *hostnqn, const char *hostid)
{
	nvme_root_t r = py_root_handle(root);
	_cleanup_(free) char *why = NULL;
	nvme_mptcp_plan_t plan = NULL;
	PyObject *notes;
	int err;

	if (!r)
		return NULL;
	BEGIN_BLOCKING(root->tree);
	err = input_apply_mptcp(root->tree->mptcp, hostnqn, hostid, &plan, &why);
	END_BLOCKING(root->tree);
	if (err) {
		raise_why(err, why);
		return NULL;
	}
	notes = notes_of(plan);
	if (plan)
		nvme_mptcp_plan_free(plan);
	return notes;
}

/* A str, or None for NULL. Bytes of a file need not be UTF-8. */
static PyObject *text_or_none(const char *text)
{
	if (!text)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

static PyObject *shown_or_none(const char *why)
{
	_cleanup_(free) char *text = shown(why);

	return text_or_none(text);
}

/* What is set with the controller itself, by its property in Python; serial numbers are options. */
static PyObject *keys_of(const struct fabrics_args *args)
{
	const struct {
		const char *property, *value;
	} keys[] = {
		{ "dhchap_key", args->dhchap_ctrl_secret },
		{ "keyring", args->keyring },
		{ "tls_key", args->tls_key },
		{ "tls_key_identity", args->tls_key_identity },
	};
	PyObject *dict = PyDict_New();
	long serial;

	for (size_t i = 0; dict && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].value && !input_is_serial(keys[i].value, &serial) &&
		    dict_put(dict, keys[i].property, text_or_none(keys[i].value)))
			Py_CLEAR(dict);
	return dict;
}

static PyObject *line_dict(const struct discovery_line *line)
{
	const struct fabrics_args *args = &line->args.fabrics;
	const struct nvmf_options options = input_options(args);
	const struct {
		const char *key, *value;
	} texts[] = {
		{ "place", line->place },	{ "transport", args->transport },
		{ "traddr", args->traddr },	{ "trsvcid", args->trsvcid },
		{ "nqn", args->nqn },		{ "hostnqn", args->hostnqn },
		{ "hostid", args->hostid },	{ "secret", args->dhchap_secret },
		{ "warnings", line->warnings },
	};
	const char *why = line->why ? line->why : strerror(abs(line->err));
	PyObject *dict = PyDict_New();

	for (size_t i = 0; dict && i < sizeof(texts) / sizeof(texts[0]); i++)
		if (dict_put(dict, texts[i].key, text_or_none(texts[i].value)))
			Py_CLEAR(dict);
	if (dict &&
	    (dict_put(dict, "errno", PyLong_FromLong(abs(line->err))) ||
	     dict_put(dict, "error", shown_or_none(line->err ? why : NULL)) ||
	     dict_put(dict, "persistent", PyBool_FromLong(line->args.persistent)) ||
	     dict_put(dict, "force", PyBool_FromLong(line->args.force)) ||
	     dict_put(dict, "keys", keys_of(args)) || dict_put(dict, "cfg", cfg_to_dict(&options))))
		Py_CLEAR(dict);
	return dict;
}

/* @arg: a list, NULL after an exception. */
static void append_line(struct discovery_line *line, void *arg)
{
	PyObject **list = arg;
	PyObject *dict = *list ? line_dict(line) : NULL;

	if (!dict || PyList_Append(*list, dict))
		Py_CLEAR(*list);
	Py_XDECREF(dict);
}

/* Strings of @options go where those of the command line are. */
static void give(struct fabrics_args *args, struct nvmf_options *options)
{
/* clang-format off */
#define GIVE(id, name, json, owner, member, ...) GIVE_##owner(name, member)
#define GIVE_HOST(name, member)
#define GIVE_CTRL(name, member)
#define GIVE_PEER(name, member)
#define GIVE_CFG(name, member) args->name = options->cfg.member; options->cfg.member = NULL;
#define GIVE_OWN(name, member) args->name = options->member; options->member = NULL;
	NVMF_OPTIONS(NVMF_NO_ROW, GIVE, NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW)
	/* clang-format on */
	args->options = *options;
}

PyObject *files_lines(PyObject *cfg, const char *hostnqn, const char *hostid)
{
	struct discover_args given = DISCOVER_DEFAULTS;
	struct discovery_line unread = { .place = (char *)DISCOVERY_CONF };
	_cleanup_(free) char *why = NULL;
	struct nvmf_options options;
	PyObject *list;

	if (cfg_from_dict(&options, cfg))
		return NULL;
	give(&given.fabrics, &options);
	given.fabrics.hostnqn = hostnqn;
	given.fabrics.hostid = hostid;
	list = PyList_New(0);
	unread.err = input_each_line(DISCOVERY_CONF, "discover", &given, append_line, &list, &why);
	unread.why = why;
	if (unread.err)
		append_line(&unread, &list);
	return list;
}

bool files_stays(struct host *host)
{
	nvme_host_t h = py_host_handle(host);

	return h && nvme_host_is_pdc_enabled(h, false);
}

static nvme_ctrl_t scan(struct root *root, const char *name)
{
	nvme_root_t r = py_root_handle(root);
	nvme_ctrl_t found;
	int err;

	if (!r)
		return NULL;
	BEGIN_BLOCKING(root->tree);
	found = nvme_scan_ctrl(r, name);
	err = errno;
	END_BLOCKING(root->tree);
	if (!found)
		raise_error(err, NULL);
	return found;
}

struct ctrl *files_ctrl(struct root *root, const char *name)
{
	nvme_ctrl_t found = scan(root, name);

	return found ? py_ctrl_new(root->tree, found) : NULL;
}

struct ctrl *files_adopt(struct root *root, struct ctrl *ctrl)
{
	nvme_ctrl_t c = py_ctrl_handle(ctrl);
	nvme_ctrl_t found = c ? scan(root, nvme_ctrl_get_name(c)) : NULL;

	if (!found)
		return NULL;
	nvmf_update_config(found, nvme_ctrl_get_config(c));
	return py_ctrl_new(root->tree, found);
}
