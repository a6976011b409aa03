/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Setting up endpoints and limits, and bringing subflows back: plans as JSON. */
#include "mptcp.h"

struct plan_query {
	const char *netns;
	const char **ctrls, **traddrs, **devices; /* ended by NULL; NULL: none given */
	int role;
	int force; /* replace endpoints, or close subflows */
	int apply;
	bool repair;
};

/* What became of it. */
struct plan_result {
	char *json;
	int failed; /* errno of a step that was not possible */
	const char *unknown; /* a controller that there is not */
};

static int plan_make(const struct plan_query *query, nvme_mptcp_snapshot_t snap,
		     nvme_mptcp_plan_t *ret)
{
	struct nvme_mptcp_setup_args setup = {
		.snap = snap,
		.traddrs = query->traddrs,
		.devices = query->devices,
		.args_size = sizeof(setup),
		.role = (enum nvme_mptcp_role)query->role,
		.replace = query->force,
	};
	struct nvme_mptcp_repair_args repair = {
		.snap = snap,
		.ctrls = query->ctrls,
		.devices = query->devices,
		.args_size = sizeof(repair),
		.role = (enum nvme_mptcp_role)query->role,
		.force = query->force,
	};

	int err;

	if (query->repair)
		return nvme_mptcp_repair(&repair, ret);
	/* Without an answer the plan is made from routes and endpoints alone. */
	if (nvme_mptcp_setup_try(&setup, &setup.trial) && errno == ENOMEM)
		return -1;
	err = nvme_mptcp_setup(&setup, ret) ? errno : 0;
	nvme_mptcp_trial_free(setup.trial);
	errno = err;
	return err ? -1 : 0;
}

static int plan_with(const struct plan_query *query, nvme_mptcp_snapshot_t snap,
		     struct plan_result *ret)
{
	nvme_mptcp_plan_t plan;

	ret->unknown = unknown_ctrl(snap, query->ctrls);
	if (ret->unknown)
		return ENXIO;
	if (plan_make(query, snap, &plan))
		return errno;
	if (query->apply && nvme_mptcp_plan_apply(plan))
		ret->failed = errno;
	ret->json = nvme_mptcp_plan_to_json(plan, false);
	nvme_mptcp_plan_free(plan);
	return 0;
}

static int plan_take(const struct plan_query *query, struct plan_result *ret)
{
	struct samples samples = { 0 };
	int err = samples_take(&samples, query->netns, 0);

	if (!err)
		err = plan_with(query, samples.snap, ret);
	samples_free(&samples);
	return err;
}

static PyObject *plan_run(const struct plan_query *query)
{
	struct plan_result result = { 0 };
	PyObject *document;
	int err;

	Py_BEGIN_ALLOW_THREADS;
	err = plan_take(query, &result);
	Py_END_ALLOW_THREADS;
	if (result.unknown)
		return raise_unknown_ctrl(result.unknown);
	if (err)
		return raise_errno(err, query->netns);
	document = take_json(result.json);
	return document ? Py_BuildValue("Ni", document, result.failed) : NULL;
}

PyObject *mptcp_setup(PyObject *self, PyObject *args)
{
	struct plan_query query = { 0 };
	PyObject *ret = NULL;

	if (PyArg_ParseTuple(args, "zO&O&ipp:setup", &query.netns, strings_of, &query.traddrs,
			     strings_of, &query.devices, &query.role, &query.force, &query.apply))
		ret = plan_run(&query);
	free(query.traddrs);
	free(query.devices);
	return ret;
}

PyObject *mptcp_repair(PyObject *self, PyObject *args)
{
	struct plan_query query = { .repair = true };
	PyObject *ret = NULL;

	if (PyArg_ParseTuple(args, "zO&O&ipp:repair", &query.netns, strings_of, &query.ctrls,
			     strings_of, &query.devices, &query.role, &query.force, &query.apply))
		ret = plan_run(&query);
	free(query.ctrls);
	free(query.devices);
	return ret;
}
