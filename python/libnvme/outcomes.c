/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks over what is to be connected, between Python's objects and src/input/. */
#include "outcomes.h"

#include "files.h"
#include "input/walk.h"

#define WALK_CAPSULE "libnvme.walk"
#define CALL_CAPSULE "libnvme.call"
#define CTRL_CAPSULE "libnvme.ctrl"

struct outcomes {
	struct walk *walk;
	struct tree *tree; /* kept by the caller's root */
	PyObject *caller, *given;
	struct discover_args args;
	PyObject *type, *value, *traceback; /* what a callback has raised: the walk ends */
	bool has_timeout;
	bool lost; /* a call is left to another thread */
};

/* What a callback has raised; the first one counts. Python's lock is held. */
static void note_exception(struct outcomes *o)
{
	if (o->type)
		PyErr_Clear();
	else
		PyErr_Fetch(&o->type, &o->value, &o->traceback);
}

/* The result of a method, which is dropped. 0, or -1 if it raised something. */
static int drop(struct outcomes *o, PyObject *result)
{
	if (!result)
		note_exception(o);
	Py_XDECREF(result);
	return result ? 0 : -1;
}

static PyObject *py_text(const char *text)
{
	if (!text)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

static const char *const kinds[] = {
	[WALK_BOOT] = "boot",	      [WALK_CONFIGURED] = "configured", [WALK_SOURCE] = "source",
	[WALK_REFERRAL] = "referral", [WALK_ENTRY] = "entry",
};

static const char *const ends[] = {
	[WALK_CONNECTED] = "connected",
	[WALK_ALREADY] = "already connected",
	[WALK_SKIPPED] = "skipped",
	[WALK_FAILED] = "failed",
};

static PyObject *step_dict(const struct walk_step *step)
{
	const struct {
		const char *key, *value;
	} texts[] = {
		{ "kind", kinds[step->kind] },
		{ "place", step->place ? step->place : step->path },
		{ "transport", step->transport },
		{ "traddr", step->traddr },
		{ "trsvcid", step->trsvcid },
		{ "subnqn", step->subnqn },
	};
	PyObject *dict = PyDict_New();

	for (size_t i = 0; dict && i < sizeof(texts) / sizeof(texts[0]); i++)
		if (dict_put(dict, texts[i].key, py_text(texts[i].value)))
			Py_CLEAR(dict);
	if (dict && (dict_put(dict, "order", PyLong_FromSize_t(step->order)) ||
		     dict_put(dict, "source", PyLong_FromSize_t(step->source)) ||
		     (step->entry && dict_put(dict, "entry", fabrics_entry(step->entry)))))
		Py_CLEAR(dict);
	return dict;
}

static void free_ctrl_capsule(PyObject *capsule)
{
	py_ctrl_free(PyCapsule_GetPointer(capsule, CTRL_CAPSULE));
}

/* One that is connected again when the call is over is nobody's. */
static PyObject *ctrl_capsule(const struct outcomes *o, const struct walk_result *result)
{
	struct ctrl *ctrl;
	PyObject *capsule;

	if (!result->c || result->ends || result->end != WALK_CONNECTED)
		Py_RETURN_NONE;
	ctrl = py_ctrl_new(o->tree, result->c);
	capsule = ctrl ? PyCapsule_New(ctrl, CTRL_CAPSULE, free_ctrl_capsule) : NULL;
	if (ctrl && !capsule)
		py_ctrl_free(ctrl);
	return capsule;
}

struct ctrl *outcomes_ctrl(PyObject *capsule)
{
	struct ctrl *ctrl = PyCapsule_GetPointer(capsule, CTRL_CAPSULE);

	return ctrl && !PyCapsule_SetDestructor(capsule, NULL) ? ctrl : NULL;
}

/* Why it failed: the library's words, else what errno means, else the message. */
static PyObject *why_of(const struct walk_result *result)
{
	_cleanup_(free) char *text = NULL;
	const char *why = result->reason;

	if (!why)
		why = result->err ? input_error_text(result->err) : result->text;
	if (!why)
		Py_RETURN_NONE;
	text = files_shown(why);
	return py_text(text);
}

static void on_found(void *arg, const struct walk_step *step)
{
	const PyGILState_STATE state = PyGILState_Ensure();
	struct outcomes *o = arg;
	PyObject *entry = fabrics_entry(step->entry);

	drop(o,
	     entry ? PyObject_CallMethod(o->caller, "found", "nN", (Py_ssize_t)step->source, entry)
		   : NULL);
	PyGILState_Release(state);
}

static void on_done(void *arg, const struct walk_step *step, const struct walk_result *result)
{
	const PyGILState_STATE state = PyGILState_Ensure();
	struct outcomes *o = arg;
	PyObject *dict = step_dict(step);

	if (dict && (dict_put(dict, "end", py_text(ends[result->end])) ||
		     dict_put(dict, "errno", PyLong_FromLong(result->err)) ||
		     dict_put(dict, "why", why_of(result)) ||
		     dict_put(dict, "optional", PyBool_FromLong(result->optional)) ||
		     dict_put(dict, "ctrl", ctrl_capsule(o, result))))
		Py_CLEAR(dict);
	drop(o, dict ? PyObject_CallMethod(o->caller, "done", "N", dict) : NULL);
	PyGILState_Release(state);
}

static void tell_text(struct outcomes *o, const char *place, bool failure, int err,
		      const char *text)
{
	const char *meaning = err ? input_error_text(err) : "";
	_cleanup_(free) char *whole = NULL, *shown = NULL;

	if (asprintf(&whole, "%s%s%s", text, err ? ": " : "", meaning) < 0)
		whole = NULL;
	shown = whole ? files_shown(whole) : NULL;
	drop(o, PyObject_CallMethod(o->caller, "say", "NOiN", py_text(place),
				    failure ? Py_True : Py_False, err, py_text(shown)));
}

static void on_say(void *arg, const char *place, bool failure, int err, const char *text)
{
	const PyGILState_STATE state = PyGILState_Ensure();

	tell_text(arg, place, failure, err, text);
	PyGILState_Release(state);
}

static int on_prepare(void *arg, const char *path, nvme_host_t host)
{
	struct outcomes *o = arg;
	_cleanup_(free) char *why = NULL;
	nvme_mptcp_plan_t plan = NULL;
	const int err = input_apply_mptcp(o->tree->mptcp, nvme_host_get_hostnqn(host),
					  nvme_host_get_hostid(host), &plan, &why);
	const PyGILState_STATE state = PyGILState_Ensure();

	if (err)
		tell_text(o, path, true, why ? 0 : -err, why ? why : path);
	else
		drop(o, PyObject_CallMethod(o->caller, "note", "N", files_notes(plan)));
	PyGILState_Release(state);
	if (plan)
		nvme_mptcp_plan_free(plan);
	return err || o->type;
}

/* Between two steps: has a callback raised something, or a signal? */
static bool on_goes_on(void *arg)
{
	const PyGILState_STATE state = PyGILState_Ensure();
	struct outcomes *o = arg;

	if (!o->type && PyErr_CheckSignals())
		note_exception(o);
	PyGILState_Release(state);
	return !o->type;
}

static int on_connecting(void *arg, const struct walk_step *step)
{
	return !on_goes_on(arg);
}

/* One that the walk does not wait for any more is nobody else's. */
static void free_call(PyObject *capsule)
{
	if (PyCapsule_GetContext(capsule))
		free(PyCapsule_GetPointer(capsule, CALL_CAPSULE));
}

/* True: another thread is still at it, whatever was raised meanwhile. */
static bool block_in_python(struct outcomes *o, const struct walk_step *step, PyObject *capsule)
{
	PyObject *dict = step_dict(step), *lost;
	bool ret;

	drop(o, dict ? PyObject_CallMethod(o->caller, "block", "ON", capsule, dict) : NULL);
	lost = PyObject_GetAttrString(o->caller, "lost");
	ret = lost == Py_True;
	drop(o, lost);
	return ret;
}

static int on_block(void *arg, const struct walk_step *step, struct walk_call *call)
{
	struct outcomes *o = arg;
	PyGILState_STATE state;
	PyObject *capsule;

	if (!o->has_timeout) {
		call->run(call);
		return 0;
	}
	state = PyGILState_Ensure();
	capsule = PyCapsule_New(call, CALL_CAPSULE, free_call);
	if (!capsule) {
		note_exception(o);
		PyGILState_Release(state);
		call->run(call);
		return 0;
	}
	o->lost = block_in_python(o, step, capsule);
	if (o->lost)
		PyCapsule_SetContext(capsule, o);
	Py_DECREF(capsule);
	PyGILState_Release(state);
	return o->lost;
}

void outcomes_call(PyObject *capsule)
{
	struct walk_call *call = PyCapsule_GetPointer(capsule, CALL_CAPSULE);

	if (!call)
		return;
	Py_BEGIN_ALLOW_THREADS;
	call->run(call);
	Py_END_ALLOW_THREADS;
}

void outcomes_undo(PyObject *capsule)
{
	struct walk_call *call = PyCapsule_GetPointer(capsule, CALL_CAPSULE);
	int err = 0;

	if (!call)
		return;
	Py_BEGIN_ALLOW_THREADS;
	err = call->undo(call);
	Py_END_ALLOW_THREADS;
	if (err)
		raise_error(-err, NULL);
}

void outcomes_end(PyObject *walk)
{
	struct outcomes *o = PyCapsule_GetPointer(walk, WALK_CAPSULE);

	if (o)
		tree_end(o->tree);
}

static const struct walk_calls calls = {
	.found = on_found,
	.connecting = on_connecting,
	.block = on_block,
	.done = on_done,
	.prepare = on_prepare,
	.say = on_say,
	.queue = { .should_continue = on_goes_on },
};

/* The caller's root is freed last, and not while it is in use: see outcomes.h. */
static void free_outcomes(PyObject *capsule)
{
	struct outcomes *o = PyCapsule_GetPointer(capsule, WALK_CAPSULE);

	walk_free(o->walk);
	Py_XDECREF(o->type);
	Py_XDECREF(o->value);
	Py_XDECREF(o->traceback);
	Py_XDECREF(o->given);
	Py_XDECREF(o->caller);
	free(o);
}

/* What logs list comes after all logs, and everything that a walk may raise after what it has done. */
static struct walk *new_walk(struct outcomes *o, nvme_root_t r, bool connects, bool referrals,
			     unsigned int timeout_ms)
{
	const struct walk_setup setup = {
		.calls = &calls,
		.arg = o,
		.root = r,
		.name = "discover",
		.waiter = { py_log_warning, r },
		.timeout = timeout_ms,
		.silence_timeout = timeout_ms,
		.connects = connects,
		.logs_first = true,
		.in_turn = !connects && !timeout_ms,
		.no_referrals = !referrals,
	};

	return walk_new(&setup);
}

PyObject *outcomes_new(struct root *root, PyObject *caller, bool connects, bool referrals,
		       unsigned int timeout_ms)
{
	const nvme_root_t r = py_root_handle(root);
	struct outcomes *o = r ? calloc(1, sizeof(*o)) : NULL;
	PyObject *capsule;

	if (!r)
		return NULL;
	if (!o)
		return PyErr_NoMemory();
	o->tree = root->tree;
	o->caller = caller;
	o->has_timeout = timeout_ms;
	o->walk = new_walk(o, r, connects, referrals, timeout_ms);
	if (!o->walk || walk_note_configured(o->walk)) {
		walk_free(o->walk);
		free(o);
		return PyErr_NoMemory();
	}
	capsule = PyCapsule_New(o, WALK_CAPSULE, free_outcomes);
	if (!capsule) {
		walk_free(o->walk);
		free(o);
		return NULL;
	}
	Py_INCREF(caller);
	return capsule;
}

/* A str of @dict, which lasts as long as that; NULL for None, or with an exception. */
static const char *given_text(PyObject *dict, const char *key)
{
	PyObject *value = PyDict_GetItemString(dict, key);
	Py_ssize_t length;
	const char *text;

	if (!value || value == Py_None || PyErr_Occurred())
		return NULL;
	text = PyUnicode_AsUTF8AndSize(value, &length);
	if (text && strlen(text) != (size_t)length)
		PyErr_Format(PyExc_ValueError, "%s holds a null character", key);
	return text;
}

static bool given_flag(PyObject *dict, const char *key)
{
	return PyDict_GetItemString(dict, key) == Py_True;
}

static int read_given(struct outcomes *o, PyObject *given)
{
	struct fabrics_args *args = &o->args.fabrics;
	struct nvmf_options options;
	PyObject *cfg = PyDict_GetItemString(given, "cfg");

	o->args = (struct discover_args)DISCOVER_DEFAULTS;
	if (cfg_from_dict(&options, cfg ? cfg : Py_None))
		return -1;
	files_give(args, &options);
	args->transport = given_text(given, "transport");
	args->traddr = given_text(given, "traddr");
	args->trsvcid = given_text(given, "trsvcid");
	args->nqn = given_text(given, "nqn");
	args->hostnqn = given_text(given, "hostnqn");
	args->hostid = given_text(given, "hostid");
	args->context = given_text(given, "context");
	o->args.device = given_text(given, "device");
	if (PyDict_GetItemString(given, "nbft_path") != Py_None)
		o->args.nbft_path = given_text(given, "nbft_path");
	o->args.persistent = given_flag(given, "persistent");
	o->args.force = given_flag(given, "force");
	o->args.nbft = given_flag(given, "nbft");
	o->args.no_nbft = given_flag(given, "no_nbft");
	return PyErr_Occurred() ? -1 : 0;
}

/* With the tree to itself. */
static void run_alone(struct outcomes *o, nvme_host_t h)
{
	walk_set_host(o->walk, h);
	tree_begin(o->tree);
	Py_BEGIN_ALLOW_THREADS;
	walk_run(o->walk, &o->args);
	Py_END_ALLOW_THREADS;
	/* Otherwise by the thread that the call is left to. */
	if (!o->lost)
		tree_end(o->tree);
}

static bool is_of(const struct outcomes *o, const struct host *host)
{
	if (host->tree == o->tree)
		return true;
	PyErr_SetString(PyExc_ValueError, "host and root do not belong together");
	return false;
}

/* The caller has the capsule, and nothing to hear any more. */
void outcomes_run(PyObject *walk, struct host *host, PyObject *given)
{
	struct outcomes *o = PyCapsule_GetPointer(walk, WALK_CAPSULE);
	nvme_host_t h;

	if (!o || o->given)
		return;
	o->given = Py_NewRef(given);
	h = py_host_handle(host);
	if (h && is_of(o, host) && !read_given(o, given))
		run_alone(o, h);
	Py_CLEAR(o->caller);
	if (o->type)
		PyErr_Restore(o->type, o->value, o->traceback);
	o->type = o->value = o->traceback = NULL;
}
