/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Findings and reports as JSON, and reading the reports of others. */
#include "mptcp.h"

#include <poll.h>

struct query {
	const char *netns, *traddr, *trsvcid, *host_traddr, *host_iface, *peer;
	const char **ctrls; /* ended by NULL; NULL: all */
	const char **ignore; /* rules, likewise; NULL: none */
	int role, trial, interval_ms;
};

/* Why there is no document, beside an errno. */
struct failure {
	const char *unknown; /* a controller that there is not */
	bool peer; /* it is about the other side's report */
	char *sentence; /* what is wrong with that; to be freed */
};

void samples_free(struct samples *samples)
{
	nvme_mptcp_snapshot_free(samples->before);
	nvme_mptcp_snapshot_free(samples->snap);
	nvme_free_tree(samples->r);
}

int samples_take(struct samples *samples, const char *netns, int interval_ms)
{
	samples->r = nvme_scan(NULL);
	if (!samples->r)
		return errno;
	if (interval_ms > 0) {
		if (nvme_mptcp_snapshot_take(samples->r, netns, &samples->before))
			return errno;
		/* Nothing comes in: this only waits. */
		poll(NULL, 0, interval_ms);
		nvme_refresh_topology(samples->r);
	}
	return nvme_mptcp_snapshot_take(samples->r, netns, &samples->snap) ? errno : 0;
}

static int check_with(const struct query *query, const struct samples *samples,
		      nvme_mptcp_trial_t trial, nvme_mptcp_peer_t peer, char **ret)
{
	struct nvme_mptcp_check_args args = {
		.snap = samples->snap,
		.before = samples->before,
		.ctrls = trial ? NULL : query->ctrls,
		.traddr = query->traddr,
		.trsvcid = query->trsvcid,
		.args_size = sizeof(args),
		.role = (enum nvme_mptcp_role)query->role,
		.trial = trial,
		.peer = peer,
		.no_trial = !query->trial,
		.ignore = query->ignore,
	};
	nvme_mptcp_findings_t findings;

	if (nvme_mptcp_check(&args, &findings))
		return errno;
	*ret = nvme_mptcp_findings_to_json(findings, false);
	nvme_mptcp_findings_free(findings);
	return 0;
}

static int check_try(const struct query *query, nvme_mptcp_peer_t peer, char **ret)
{
	const struct nvme_mptcp_trial_args args = {
		.netns = query->netns,
		.traddr = query->traddr,
		.trsvcid = query->trsvcid,
		.host_traddr = query->host_traddr,
		.host_iface = query->host_iface,
		.args_size = sizeof(args),
	};
	const struct samples none = { 0 };
	nvme_mptcp_trial_t trial;
	int err;

	if (nvme_mptcp_try(&args, &trial))
		return errno;
	err = check_with(query, &none, trial, peer, ret);
	nvme_mptcp_trial_free(trial);
	return err;
}

static int check_samples(const struct query *query, nvme_mptcp_peer_t peer, char **ret,
			 struct failure *failure)
{
	struct samples samples = { 0 };
	int err = samples_take(&samples, query->netns, query->interval_ms);

	if (!err)
		failure->unknown = unknown_ctrl(samples.snap, query->ctrls);
	if (!err && !failure->unknown)
		err = check_with(query, &samples, NULL, peer, ret);
	samples_free(&samples);
	return err;
}

static int check_take(const struct query *query, char **ret, struct failure *failure)
{
	nvme_mptcp_peer_t peer = NULL;
	int err;

	if (query->peer && nvme_mptcp_peer_read(query->peer, &peer, &failure->sentence)) {
		failure->peer = true;
		return errno;
	}
	err = query->traddr && query->trial ? check_try(query, peer, ret)
					    : check_samples(query, peer, ret, failure);
	nvme_mptcp_peer_free(peer);
	return err;
}

/* @file could not be read, or is no report. */
static PyObject *raise_file(int err, const char *file, char *sentence)
{
	PyObject *text;

	if (!sentence)
		return raise_errno(err, file);
	text = PyUnicode_DecodeUTF8(sentence, (Py_ssize_t)strlen(sentence), "backslashreplace");
	if (text)
		PyErr_SetObject(PyExc_ValueError, text);
	Py_XDECREF(text);
	free(sentence);
	return NULL;
}

static PyObject *check_run(const struct query *query)
{
	struct failure failure = { 0 };
	char *json = NULL;
	int err;

	Py_BEGIN_ALLOW_THREADS;
	err = check_take(query, &json, &failure);
	Py_END_ALLOW_THREADS;
	if (failure.peer)
		return raise_file(err, query->peer, failure.sentence);
	if (failure.unknown)
		return raise_unknown_ctrl(failure.unknown);
	return err ? raise_errno(err, query->netns) : take_json(json);
}

static const char *unknown_rule(const char *const *rules)
{
	const char *title, *id;

	for (; rules && *rules; rules++) {
		size_t i = 0;

		while ((id = nvme_mptcp_rule(i, &title)) && strcmp(id, *rules) != 0)
			i++;
		if (!id)
			return *rules;
	}
	return NULL;
}

PyObject *mptcp_check(PyObject *self, PyObject *args)
{
	struct query query = { 0 };
	const char *unknown;
	PyObject *ret = NULL;

	if (PyArg_ParseTuple(args, "zO&(zzzz)zO&ipi:check", &query.netns, strings_of, &query.ctrls,
			     &query.traddr, &query.trsvcid, &query.host_traddr, &query.host_iface,
			     &query.peer, strings_of, &query.ignore, &query.role, &query.trial,
			     &query.interval_ms)) {
		unknown = unknown_rule(query.ignore);
		ret = unknown ? PyErr_Format(PyExc_ValueError, "ignore: unknown rule %s", unknown)
			      : check_run(&query);
	}
	free(query.ctrls);
	free(query.ignore);
	return ret;
}

static int report_take(const char *netns, int interval_ms, char **ret)
{
	struct nvme_mptcp_report_args args = { .args_size = sizeof(args) };
	struct samples samples = { 0 };
	int err = samples_take(&samples, netns, interval_ms);

	if (!err) {
		args.snap = samples.snap;
		args.before = samples.before;
		*ret = nvme_mptcp_report(&args);
		err = *ret ? 0 : errno;
	}
	samples_free(&samples);
	return err;
}

PyObject *mptcp_report(PyObject *self, PyObject *args)
{
	const char *netns;
	int interval_ms, err;
	char *json = NULL;

	if (!PyArg_ParseTuple(args, "zi:report", &netns, &interval_ms))
		return NULL;
	Py_BEGIN_ALLOW_THREADS;
	err = report_take(netns, interval_ms, &json);
	Py_END_ALLOW_THREADS;
	return err ? raise_errno(err, netns) : take_json(json);
}

int metrics_take(const char *netns, int interval_ms, int format, unsigned long max_ctrls,
		 nvme_mptcp_keeper_t keeper, char **ret)
{
	struct nvme_mptcp_metrics_args args = {
		.args_size = sizeof(args),
		.format = (enum nvme_mptcp_metrics_format)format,
		.max_ctrls = max_ctrls,
		.keeper = keeper,
	};
	struct samples samples = { 0 };
	int err = samples_take(&samples, netns, interval_ms);

	if (!err) {
		args.snap = samples.snap;
		args.before = samples.before;
		*ret = nvme_mptcp_metrics(&args);
		err = *ret ? 0 : errno;
	}
	samples_free(&samples);
	return err;
}

PyObject *mptcp_metrics(PyObject *self, PyObject *args)
{
	int interval_ms, format, err;
	unsigned long max_ctrls;
	const char *netns;
	char *text = NULL;

	if (!PyArg_ParseTuple(args, "ziik:metrics", &netns, &interval_ms, &format, &max_ctrls))
		return NULL;
	Py_BEGIN_ALLOW_THREADS;
	err = metrics_take(netns, interval_ms, format, max_ctrls, NULL, &text);
	Py_END_ALLOW_THREADS;
	return err ? raise_errno(err, netns) : take_json(text);
}

static PyObject *ignored_of(nvme_mptcp_config_t config)
{
	PyObject *list = PyList_New(0);
	const char *rule;

	for (size_t i = 0; list && (rule = nvme_mptcp_config_ignored(config, i)); i++) {
		PyObject *string = PyUnicode_FromString(rule);

		if (!string || PyList_Append(list, string))
			Py_CLEAR(list);
		Py_XDECREF(string);
	}
	return list;
}

int config_read(nvme_root_t r, nvme_mptcp_config_t config, const char *file, char **ret)
{
	const char *why;
	int err;

	if (!r || !config)
		return ENOMEM;
	if (nvme_read_config(r, file) || errno) {
		err = errno;
		why = err == EPROTO ? nvme_config_error(r) : NULL;
	} else {
		err = nvme_mptcp_config_read(config, file) ? errno : 0;
		why = err ? nvme_mptcp_config_error(config) : NULL;
	}
	*ret = why ? strdup(why) : NULL;
	return err;
}

PyObject *mptcp_ignored(PyObject *self, PyObject *args)
{
	nvme_mptcp_config_t config;
	PyObject *ret = NULL;
	char *why = NULL;
	const char *file;
	nvme_root_t r;
	int err;

	if (!PyArg_ParseTuple(args, "s:ignored", &file))
		return NULL;
	r = nvme_create_root(NULL, LOG_ERR);
	config = nvme_mptcp_config_new();
	err = config_read(r, config, file, &why);
	ret = err ? raise_file(err, file, why) : ignored_of(config);
	nvme_mptcp_config_free(config);
	nvme_free_tree(r);
	return ret;
}

PyObject *mptcp_read_report(PyObject *self, PyObject *args)
{
	nvme_mptcp_peer_t peer = NULL;
	char *sentence = NULL;
	const char *file;
	int err = 0;

	if (!PyArg_ParseTuple(args, "s:read_report", &file))
		return NULL;
	Py_BEGIN_ALLOW_THREADS;
	if (nvme_mptcp_peer_read(file, &peer, &sentence))
		err = errno;
	else
		nvme_mptcp_peer_free(peer);
	Py_END_ALLOW_THREADS;
	if (err)
		return raise_file(err, file, sentence);
	Py_RETURN_NONE;
}
