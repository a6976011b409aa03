/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files below /etc/nvme describe, read as nvme connect-all reads it, between Python's objects
 * and src/input/.
 */
#include "files.h"

#include "config.h"
#include "input/discovery-conf.h"
#include "input/escape.h"
#include "shared/mask.h"

char *files_shown(const char *why)
{
	_cleanup_(free) char *masked = why ? mask_secrets(why, NULL, 0) : NULL;

	return masked ? escape_text(masked, strlen(masked)) : NULL;
}

static void raise_why(int err, const char *why)
{
	_cleanup_(free) char *text = files_shown(why);

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
	into = (struct input_config){ .root = root->tree->r, .mptcp = root->tree->mptcp };
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

PyObject *files_notes(nvme_mptcp_plan_t plan)
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
	notes = files_notes(plan);
	if (plan)
		nvme_mptcp_plan_free(plan);
	return notes;
}

void files_give(struct fabrics_args *args, struct nvmf_options *options)
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

struct ctrl *files_adopt(struct root *root, struct ctrl *ctrl)
{
	nvme_ctrl_t c = py_ctrl_handle(ctrl);
	nvme_ctrl_t found = c ? scan(root, nvme_ctrl_get_name(c)) : NULL;

	if (!found)
		return NULL;
	nvmf_update_config(found, nvme_ctrl_get_config(c));
	return py_ctrl_new(root->tree, found);
}
