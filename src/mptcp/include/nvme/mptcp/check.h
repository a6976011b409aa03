/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks: why traffic does not use all links, and commands that fix it, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_CHECK_H
#define _LIBNVME_MPTCP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvme/mptcp/report.h>
#include <nvme/mptcp/trial.h>
#include <nvme/mptcp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nvme_mptcp_findings *nvme_mptcp_findings_t;
typedef const struct nvme_mptcp_finding *nvme_mptcp_finding_t;

/**
 * enum nvme_mptcp_severity - severity of a finding
 * @NVME_MPTCP_INFO:	Information
 * @NVME_MPTCP_WARNING: Costs throughput or redundancy, now or later
 * @NVME_MPTCP_ERROR:	Prevents subflows from working
 */
enum nvme_mptcp_severity {
	NVME_MPTCP_INFO,
	NVME_MPTCP_WARNING,
	NVME_MPTCP_ERROR,
};

/**
 * enum nvme_mptcp_role - side of a machine, or side on which to run a command
 * @NVME_MPTCP_ROLE_AUTO:   Host if there are controllers or an address is given; target if nvmet
 *			    has ports with a transport that uses MPTCP
 * @NVME_MPTCP_ROLE_HOST:   The side that connects
 * @NVME_MPTCP_ROLE_TARGET: The side that is connected to
 */
enum nvme_mptcp_role {
	NVME_MPTCP_ROLE_AUTO,
	NVME_MPTCP_ROLE_HOST,
	NVME_MPTCP_ROLE_TARGET,
};

/**
 * enum nvme_mptcp_subject - kinds of subjects of findings, and their objects
 * @NVME_MPTCP_SUBJECT_KERNEL:	     The kernel, or one of its features, "SYN cookies"
 * @NVME_MPTCP_SUBJECT_MODULE:	     A kernel module
 * @NVME_MPTCP_SUBJECT_PART:	     A part of a snapshot, see nvme_mptcp_part_name()
 * @NVME_MPTCP_SUBJECT_SERVICE:	     A program that manages endpoints
 * @NVME_MPTCP_SUBJECT_SETTING:	     A setting, named as for sysctl(8)
 * @NVME_MPTCP_SUBJECT_LIMIT:	     A limit, named as for ip-mptcp(8), "subflows"
 * @NVME_MPTCP_SUBJECT_ENDPOINT:     An endpoint: id and address; no object: all endpoints
 * @NVME_MPTCP_SUBJECT_LINK:	     A network interface, or two
 * @NVME_MPTCP_SUBJECT_NETWORK:	     A network: the interfaces of host and target that it connects
 * @NVME_MPTCP_SUBJECT_ADDRESS:	     An IP address
 * @NVME_MPTCP_SUBJECT_PORTAL:	     An IP address and a port
 * @NVME_MPTCP_SUBJECT_PATH:	     A path between two addresses, the local one first
 * @NVME_MPTCP_SUBJECT_CONTROLLER:   A controller, "nvme1"; or the first of several
 * @NVME_MPTCP_SUBJECT_SUBSYSTEM:    The NQN of a subsystem
 * @NVME_MPTCP_SUBJECT_CONNECTION:   Connections; no object
 * @NVME_MPTCP_SUBJECT_SUBFLOW:	     Subflows; no object
 * @NVME_MPTCP_SUBJECT_JOIN:	     Joins; no object
 * @NVME_MPTCP_SUBJECT_ANNOUNCEMENT: Announced addresses; no object
 * @NVME_MPTCP_SUBJECT_PACKET:	     A kind of packets, "SYN"
 * @NVME_MPTCP_SUBJECT_PORT:	     An nvmet port: its name in configfs
 */
enum nvme_mptcp_subject {
	NVME_MPTCP_SUBJECT_KERNEL,
	NVME_MPTCP_SUBJECT_MODULE,
	NVME_MPTCP_SUBJECT_PART,
	NVME_MPTCP_SUBJECT_SERVICE,
	NVME_MPTCP_SUBJECT_SETTING,
	NVME_MPTCP_SUBJECT_LIMIT,
	NVME_MPTCP_SUBJECT_ENDPOINT,
	NVME_MPTCP_SUBJECT_LINK,
	NVME_MPTCP_SUBJECT_NETWORK,
	NVME_MPTCP_SUBJECT_ADDRESS,
	NVME_MPTCP_SUBJECT_PORTAL,
	NVME_MPTCP_SUBJECT_PATH,
	NVME_MPTCP_SUBJECT_CONTROLLER,
	NVME_MPTCP_SUBJECT_SUBSYSTEM,
	NVME_MPTCP_SUBJECT_CONNECTION,
	NVME_MPTCP_SUBJECT_SUBFLOW,
	NVME_MPTCP_SUBJECT_JOIN,
	NVME_MPTCP_SUBJECT_ANNOUNCEMENT,
	NVME_MPTCP_SUBJECT_PACKET,
	NVME_MPTCP_SUBJECT_PORT,
};

/**
 * struct nvme_mptcp_check_args - scope of nvme_mptcp_check()
 * @snap:      Snapshot
 * @before:    An earlier snapshot of the same namespace: a counter is evidence only if it has grown
 *	       since. NULL: counters since boot are used as hints
 * @ctrls:     Names of controllers, terminated by NULL; NULL: all
 * @traddr:    Address of a target that is not connected yet, or NULL
 * @trsvcid:   Its port, or NULL
 * @args_size: Size of this structure
 * @role:      Side to check
 * @trial:     A trial connection to @traddr, or NULL. If set, @snap may be NULL: the snapshots of
 *	       the trial are used
 * @peer:      Report of the other side, or NULL
 * @no_trial:  Open no connection. Otherwise, if a live controller misses subflows and no local
 *	       cause is found, a trial connection to its portal is made, see nvme_mptcp_try()
 * @ignore:    Ids of rules whose findings are suppressed and only counted, terminated by NULL, see
 *	       nvme_mptcp_findings_ignored(). NULL: none
 * @connects_by: How a connection to @traddr would be made, for nvme_mptcp_findings_to_json(). NULL:
 *	       unknown
 * @unrelayed: Name of a controller of plain TCP whose portal the configuration names for a relay, or
 *	       NULL
 */
struct nvme_mptcp_check_args {
	nvme_mptcp_snapshot_t snap;
	nvme_mptcp_snapshot_t before;
	const char *const *ctrls;
	const char *traddr;
	const char *trsvcid;
	int args_size;
	enum nvme_mptcp_role role;
	nvme_mptcp_trial_t trial;
	nvme_mptcp_peer_t peer;
	bool no_trial;
	const char *const *ignore;
	const char *connects_by;
	const char *unrelayed;
};

/**
 * nvme_mptcp_check() - run the rules of doc/mptcp-rules.md
 * @args: Its scope
 * @ret:  Where to store the findings, to be freed with nvme_mptcp_findings_free(); they do not
 *	  refer to the snapshot
 *
 * Reads routes and a few settings again, in the namespace of the snapshot. Changes nothing. Makes
 * trial connections to up to three portals of controllers with missing subflows, which take about
 * 1.5 s each and 10 s at most.
 *
 * Return: 0, or -1 with errno: EINVAL if @args is invalid (also for an invalid address or an
 * unknown rule), ENODEV if the namespace of the snapshot has no interface that the zone of
 * @args->traddr names, EPROTO if the report of the other side is from this side, ENOMEM, or the
 * reason why the namespace cannot be entered.
 */
int nvme_mptcp_check(const struct nvme_mptcp_check_args *args, nvme_mptcp_findings_t *ret);

/**
 * nvme_mptcp_findings_free() - free findings
 * @findings: Findings, or NULL
 */
void nvme_mptcp_findings_free(nvme_mptcp_findings_t findings);

/**
 * nvme_mptcp_findings_own_role() - sides of this machine
 *
 * Commands of this side can be run here; commands of the other side must be run on the machine
 * whose report was given.
 *
 * Return: As nvme_mptcp_findings_role(), without the side of the report.
 */
unsigned int nvme_mptcp_findings_own_role(nvme_mptcp_findings_t findings);

/**
 * nvme_mptcp_findings_role() - sides that were checked
 *
 * Return: Or-ed 1 << NVME_MPTCP_ROLE_HOST and 1 << NVME_MPTCP_ROLE_TARGET; 0 if this machine is
 * neither and only the kernel was checked.
 */
unsigned int nvme_mptcp_findings_role(nvme_mptcp_findings_t findings);

/**
 * nvme_mptcp_findings_ignored() - number of suppressed findings
 *
 * Return: The number of findings of ignored rules.
 */
size_t nvme_mptcp_findings_ignored(nvme_mptcp_findings_t findings);

/**
 * nvme_mptcp_finding_next() - iterate over the findings
 * @f:	      A finding, or NULL for the first one
 *
 * Return: The next finding, in order of decreasing severity, or NULL after the last one.
 */
nvme_mptcp_finding_t nvme_mptcp_finding_next(nvme_mptcp_findings_t findings,
					     nvme_mptcp_finding_t f);

/**
 * nvme_mptcp_for_each_finding() - iterate over the findings
 * @findings: Findings
 * @f:	      Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_finding(findings, f) \
	for (nvme_mptcp_finding_t f = nvme_mptcp_finding_next(findings, NULL); f; \
	     f = nvme_mptcp_finding_next(findings, f))

/** nvme_mptcp_finding_rule() - id of the rule in doc/mptcp-rules.md, e.g. "H08" */
const char *nvme_mptcp_finding_rule(nvme_mptcp_finding_t f);

/** nvme_mptcp_finding_severity() - severity of a finding */
enum nvme_mptcp_severity nvme_mptcp_finding_severity(nvme_mptcp_finding_t f);

/**
 * nvme_mptcp_finding_side() - side with the problem; NVME_MPTCP_ROLE_HOST or NVME_MPTCP_ROLE_TARGET
 */
enum nvme_mptcp_role nvme_mptcp_finding_side(nvme_mptcp_finding_t f);

/**
 * nvme_mptcp_severity_name() - name of a severity, as in JSON
 * @severity: Severity
 *
 * Return: "info", "warning" or "error"; "unknown" for any other.
 */
const char *nvme_mptcp_severity_name(enum nvme_mptcp_severity severity);

/** nvme_mptcp_finding_subject() - subject of a finding, e.g. "endpoint 3 (192.0.2.1)" or "nvme1" */
const char *nvme_mptcp_finding_subject(nvme_mptcp_finding_t f);

/** nvme_mptcp_finding_kind() - kind of the subject of a finding */
enum nvme_mptcp_subject nvme_mptcp_finding_kind(nvme_mptcp_finding_t f);

/**
 * nvme_mptcp_finding_object() - objects of a finding, for programs
 * @i: Number, from 0
 *
 * Return: An object, e.g. "nvme1", or the id of an endpoint followed by its address; NULL after the
 * last one.
 */
const char *nvme_mptcp_finding_object(nvme_mptcp_finding_t f, size_t i);

/**
 * nvme_mptcp_subject_name() - name of a kind, as in JSON
 * @kind: Kind
 *
 * Return: A static string such as "endpoint"; "unknown" for any other.
 */
const char *nvme_mptcp_subject_name(enum nvme_mptcp_subject kind);

/** nvme_mptcp_finding_why() - the reason, a sentence */
const char *nvme_mptcp_finding_why(nvme_mptcp_finding_t f);

/**
 * nvme_mptcp_finding_evidence() - evidence of a finding
 * @i:	   Number, from 0
 * @value: Where to store the value
 *
 * Return: The name of @value, or NULL after the last one.
 */
const char *nvme_mptcp_finding_evidence(nvme_mptcp_finding_t f, size_t i, const char **value);

/**
 * nvme_mptcp_finding_fix() - commands that fix the problem
 * @i:	  Number, from 0
 * @side: Where to store the side on which to run it: NVME_MPTCP_ROLE_HOST or NVME_MPTCP_ROLE_TARGET
 *
 * Return: A command line, or NULL after the last one.
 */
const char *nvme_mptcp_finding_fix(nvme_mptcp_finding_t f, size_t i, enum nvme_mptcp_role *side);

/**
 * nvme_mptcp_role_name() - name of a side, as in JSON
 * @role: Side
 *
 * Return: "host" or "target"; NULL for %NVME_MPTCP_ROLE_AUTO, "unknown" for any other.
 */
const char *nvme_mptcp_role_name(enum nvme_mptcp_role role);

/**
 * nvme_mptcp_rule() - list the rules, followed by former ids of rules
 * @i:	   Number, from 0
 * @title: Where to store a short title of the rule
 *
 * Return: The id of the rule, or NULL after the last one.
 */
const char *nvme_mptcp_rule(size_t i, const char **title);

/**
 * nvme_mptcp_findings_to_json() - findings as a JSON document
 * @pretty:   true: indent for readability
 *
 * The document follows the schema mptcp-findings.json.
 *
 * Return: A string to be freed, or NULL with errno ENOMEM.
 */
char *nvme_mptcp_findings_to_json(nvme_mptcp_findings_t findings, bool pretty);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_CHECK_H */
