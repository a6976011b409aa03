/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The type libnvme._mptcp.Keeper: rounds that hold a network namespace as it should be. */
#include "mptcp.h"

#include <arpa/inet.h>
#include <nvme/transport.h>
#include <poll.h>

/* One round, or taking everything back. */
struct round {
	nvme_mptcp_keeper_t keeper;
	const char *config; /* file, or NULL: what a set-up plans */
	const char **traddrs, **devices; /* ended by NULL; NULL: none given */
	int role, adopt, automatic, apply;
	bool restore;
	char *json, *problem; /* of it; to be freed */
	int failed; /* errno of a step that was not possible */
};

static void keeper_end(void *keeper)
{
	nvme_mptcp_keeper_close(keeper);
}

static PyObject *keeper_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct nvme_mptcp_keeper_args where = { .args_size = sizeof(where) };
	nvme_mptcp_keeper_t keeper = NULL;
	pid_t holder = 0;
	int err = 0;

	if (!PyArg_ParseTuple(args, "z:Keeper", &where.netns))
		return NULL;
	Py_BEGIN_ALLOW_THREADS;
	if (nvme_mptcp_keeper_open(&where, &keeper, &holder))
		err = errno;
	Py_END_ALLOW_THREADS;
	return err ? raise_errno(err, where.netns) : waiter_new(type, "keeper", keeper, keeper_end);
}

static int round_with(struct round *round, nvme_mptcp_config_t config)
{
	const struct nvme_mptcp_keep_args args = {
		.config = config,
		.traddrs = round->traddrs,
		.devices = round->devices,
		.args_size = sizeof(args),
		.role = (enum nvme_mptcp_role)round->role,
		.adopt = round->adopt,
	};
	nvme_mptcp_plan_t plan;
	int err;

	if (round->restore ? nvme_mptcp_keeper_restore(round->keeper, &plan)
			   : nvme_mptcp_keeper_plan(round->keeper, &args, &plan)) {
		err = errno;
		round->problem = strdup(nvme_mptcp_error(err));
		return err;
	}
	if (round->apply && nvme_mptcp_keeper_apply(round->keeper, plan))
		round->failed = errno;
	round->json = nvme_mptcp_plan_to_json(plan, false);
	nvme_mptcp_plan_free(plan);
	return 0;
}

/* Of an address that a set-up can lead to, or 0: names are resolved by whoever connects. */
static int family_of(nvme_ctrl_t c)
{
	const char *transport = nvme_ctrl_get_transport(c), *traddr = nvme_ctrl_get_traddr(c);
	struct in6_addr ip;

	if (!transport || !traddr || !nvmf_transport_has(transport, NVMF_TRANSPORT_SUBFLOWS))
		return 0;
	return inet_pton(AF_INET, traddr, &ip) == 1    ? AF_INET
	       : inet_pton(AF_INET6, traddr, &ip) == 1 ? AF_INET6
						       : 0;
}

/* The addresses that a configuration connects to, those of the first one's family; ended by NULL. */
static const char **ports_of(nvme_root_t r)
{
	const char **ports = calloc(1, sizeof(*ports)), **longer;
	int family = 0;
	size_t n = 0;
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;

	nvme_for_each_host(r, h)
		nvme_for_each_subsystem(h, s)
			nvme_subsystem_for_each_ctrl(s, c) {
				const int own = family_of(c);

				family = family ? family : own;
				longer = ports && own && own == family
						 ? realloc(ports, (n + 2) * sizeof(*ports))
						 : NULL;
				if (!longer)
					continue;
				ports = longer;
				ports[n++] = nvme_ctrl_get_traddr(c);
				ports[n] = NULL;
			}
	return ports;
}

/* What a set-up plans, to the addresses given, or else to those of the configuration. */
static int round_planned(struct round *round, nvme_root_t r)
{
	const char **given = round->traddrs, **ports = NULL;
	int err;

	if (!given || !*given) {
		ports = ports_of(r);
		round->traddrs = ports && *ports ? ports : NULL;
	}
	err = round_with(round, NULL);
	round->traddrs = given;
	free(ports);
	return err;
}

static int round_read(struct round *round, nvme_root_t r, nvme_mptcp_config_t config)
{
	const int err = config_read(r, config, round->config, &round->problem);

	if (err && err != EPROTO) {
		free(round->problem);
		round->problem = NULL;
	}
	if (err)
		return err;
	if (nvme_mptcp_config_wants(config, NULL, NULL))
		return round_with(round, config);
	if (round->automatic)
		return round_planned(round, r);
	if (asprintf(&round->problem, "%s: no host has an object \"mptcp\"", round->config) < 0)
		round->problem = NULL;
	return EPROTO;
}

/* Read anew for each round, so that what is changed there is kept from then on. */
static int round_configured(struct round *round)
{
	nvme_root_t r = nvme_create_root(NULL, LOG_ERR);
	nvme_mptcp_config_t config = nvme_mptcp_config_new();
	const int err = round_read(round, r, config);

	nvme_mptcp_config_free(config);
	nvme_free_tree(r);
	return err;
}

static PyObject *round_result(struct round *round, int err)
{
	PyObject *document;

	if (round->problem) {
		if (err == EPROTO)
			PyErr_SetString(PyExc_ValueError, round->problem);
		else
			raise_problem(err, round->problem);
		free(round->problem);
		return NULL;
	}
	if (err)
		return raise_errno(err, round->config);
	document = take_json(round->json);
	return document ? Py_BuildValue("Ni", document, round->failed) : NULL;
}

static PyObject *round_run(struct waiter *self, struct round *round)
{
	int err;

	if (!waiter_is_usable(self))
		return NULL;
	round->keeper = self->on;
	self->busy = true;
	Py_BEGIN_ALLOW_THREADS;
	err = round->config ? round_configured(round) : round_with(round, NULL);
	Py_END_ALLOW_THREADS;
	waiter_leave(self);
	return round_result(round, err);
}

static PyObject *keeper_round(struct waiter *self, PyObject *args)
{
	struct round round = { 0 };
	PyObject *ret = NULL;

	if (PyArg_ParseTuple(args, "zO&O&ippp:round", &round.config, strings_of, &round.traddrs,
			     strings_of, &round.devices, &round.role, &round.adopt,
			     &round.automatic, &round.apply))
		ret = round_run(self, &round);
	free(round.traddrs);
	free(round.devices);
	return ret;
}

static PyObject *keeper_restore(struct waiter *self, PyObject *args)
{
	struct round round = { .restore = true };

	if (!PyArg_ParseTuple(args, "p:restore", &round.apply))
		return NULL;
	return round_run(self, &round);
}

static int sooner(int a, int b)
{
	return a < 0 ? b : b < 0 || a < b ? a : b;
}

/* Milliseconds after which there is a round to make, 0: now; -errno. Waits @timeout_ms at most. */
static int wait_round(struct waiter *self, int timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = self->events, .events = POLLIN },
		{ .fd = self->wake, .events = POLLIN },
	};
	int due = nvme_mptcp_keeper_wait(self->on);

	if (!due)
		return 0;
	if (poll(fds, 2, sooner(due, timeout_ms)) < 0 || nvme_mptcp_keeper_read(self->on))
		return -errno;
	due = nvme_mptcp_keeper_wait(self->on);
	return due < 0 ? INT_MAX : due;
}

/* None once closed; else: is a round due? */
static PyObject *keeper_wait(struct waiter *self, PyObject *args)
{
	int timeout_ms, due = 0;

	if (!PyArg_ParseTuple(args, "i:wait", &timeout_ms) || !waiter_is_usable(self))
		return NULL;
	self->busy = true;
	Py_BEGIN_ALLOW_THREADS;
	if (self->events < 0)
		self->events = nvme_mptcp_keeper_listen(self->on);
	due = self->events < 0 ? -errno : wait_round(self, timeout_ms);
	Py_END_ALLOW_THREADS;
	if (waiter_leave(self))
		Py_RETURN_NONE;
	if (due == -EINTR && PyErr_CheckSignals())
		return NULL;
	if (due < 0 && due != -EINTR)
		return raise_errno(-due, NULL);
	return PyBool_FromLong(!due);
}

static PyObject *keeper_metrics(struct waiter *self, PyObject *args)
{
	const char *netns;
	char *text = NULL;
	int format, err;

	if (!PyArg_ParseTuple(args, "zi:metrics", &netns, &format) || !waiter_is_usable(self))
		return NULL;
	self->busy = true;
	Py_BEGIN_ALLOW_THREADS;
	err = metrics_take(netns, 0, format, 0, self->on, &text);
	Py_END_ALLOW_THREADS;
	waiter_leave(self);
	return err ? raise_errno(err, netns) : take_json(text);
}

static PyObject *keeper_forgive(struct waiter *self, PyObject *unused)
{
	if (!waiter_is_usable(self))
		return NULL;
	nvme_mptcp_keeper_forgive(self->on);
	Py_RETURN_NONE;
}

static PyObject *keeper_file(struct waiter *self, PyObject *unused)
{
	if (!waiter_is_usable(self))
		return NULL;
	return PyUnicode_DecodeFSDefault(nvme_mptcp_keeper_file(self->on));
}

static PyMethodDef methods[] = {
	{ "round", (PyCFunction)keeper_round, METH_VARARGS,
	  "round(config, traddrs, devices, role, adopt, auto, apply) -> JSON of a plan, errno of a step." },
	{ "restore", (PyCFunction)keeper_restore, METH_VARARGS,
	  "restore(apply) -> JSON of a plan, errno of a step." },
	{ "wait", (PyCFunction)keeper_wait, METH_VARARGS,
	  "wait(timeout_ms) -> is a round due? None once closed." },
	{ "metrics", (PyCFunction)keeper_metrics, METH_VARARGS,
	  "metrics(netns, format) -> text, with counters of this keeper." },
	{ "forgive", (PyCFunction)keeper_forgive, METH_NOARGS, "Begin anew." },
	{ "file", (PyCFunction)keeper_file, METH_NOARGS, "Where it notes what it made." },
	{ "close", (PyCFunction)waiter_close, METH_NOARGS, "Stop, and leave everything as it is." },
	{},
};

static char doc[] = "Keeps a network namespace.";

static PyType_Slot slots[] = {
	{ Py_tp_doc, doc },
	{ Py_tp_new, keeper_new },
	{ Py_tp_dealloc, waiter_dealloc },
	{ Py_tp_methods, methods },
	{},
};

PyType_Spec keeper_spec = {
	.name = MPTCP_PACKAGE "._mptcp.Keeper",
	.basicsize = sizeof(struct waiter),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};
