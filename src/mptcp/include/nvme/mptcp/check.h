/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why traffic is not on all links, and what to type, see <nvme/mptcp.h>. */
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
 * enum nvme_mptcp_severity - how bad a finding is
 * @NVME_MPTCP_INFO:	Worth knowing
 * @NVME_MPTCP_WARNING: Costs speed or safety, or will
 * @NVME_MPTCP_ERROR:	Keeps subflows from working
 */
enum nvme_mptcp_severity {
	NVME_MPTCP_INFO,
	NVME_MPTCP_WARNING,
	NVME_MPTCP_ERROR,
};

/**
 * enum nvme_mptcp_role - which side a machine is on, or a command has to be run on
 * @NVME_MPTCP_ROLE_AUTO:   A host if it has controllers or an address is given; a target if nvmet
 *			    has ports with such a transport
 * @NVME_MPTCP_ROLE_HOST:   The side that connects
 * @NVME_MPTCP_ROLE_TARGET: The side that is connected to
 */
enum nvme_mptcp_role {
	NVME_MPTCP_ROLE_AUTO,
	NVME_MPTCP_ROLE_HOST,
	NVME_MPTCP_ROLE_TARGET,
};

/**
 * enum nvme_mptcp_subject - kinds of what a finding is about, and its objects
 * @NVME_MPTCP_SUBJECT_KERNEL:	     The kernel; or a feature of it, "SYN cookies"
 * @NVME_MPTCP_SUBJECT_MODULE:	     A module of the kernel
 * @NVME_MPTCP_SUBJECT_PART:	     A part of a snapshot, see nvme_mptcp_part_name()
 * @NVME_MPTCP_SUBJECT_SERVICE:	     A program that makes endpoints
 * @NVME_MPTCP_SUBJECT_SETTING:	     A setting as sysctl(8) has it
 * @NVME_MPTCP_SUBJECT_LIMIT:	     A limit as ip-mptcp(8) has it, "subflows"
 * @NVME_MPTCP_SUBJECT_ENDPOINT:     An endpoint, by its id and its address; none: all of them
 * @NVME_MPTCP_SUBJECT_LINK:	     A network interface, or two
 * @NVME_MPTCP_SUBJECT_NETWORK:	     A network, by the interfaces of host and target that it connects
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
 * @NVME_MPTCP_SUBJECT_PORT:	     A port of nvmet, by its name there
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
 * struct nvme_mptcp_check_args - what nvme_mptcp_check() is to look at
 * @snap:      Snapshot
 * @before:    An earlier one of the same namespace: a counter is evidence only if it grew. NULL:
 *	       counters since boot are taken as hints
 * @ctrls:     Names of controllers, ended by NULL; NULL: all
 * @traddr:    Address of a target that is not connected yet, or NULL
 * @trsvcid:   Its port, or NULL
 * @args_size: Size of this structure
 * @role:      Side to judge
 * @trial:     A trial connection to @traddr, or NULL; with it @snap may be NULL: the snapshots of the
 *	       trial serve
 * @peer:      What the other side reports, or NULL
 * @no_trial:  Open no connection. Otherwise, if a live controller misses subflows and nothing here
 *	       explains it, its portal is tried as by nvme_mptcp_try()
 * @ignore:    Ids of rules, ended by NULL, whose findings are suppressed and counted, see
 *	       nvme_mptcp_findings_ignored(). NULL: none
 * @connects_by: How a connection to @traddr would be made, as the caller knows; for
 *	       nvme_mptcp_findings_to_json(). NULL: not known
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
};

/**
 * nvme_mptcp_check() - run the rules of doc/mptcp-rules.md
 * @args: Its scope
 * @ret:  Where to store the findings, to be freed with nvme_mptcp_findings_free(); they do not
 *	  refer to the snapshot
 *
 * Routes and a few settings are read again, in the namespace of the snapshot. Nothing is changed. Up
 * to three portals of controllers with missing subflows are tried, each for about a second and a half,
 * and for ten at most.
 *
 * Return: 0, or -1 with errno: EINVAL if @args is wrong (also an address that is none, or a
 * rule that there is not), ENODEV if the namespace of the snapshot has no interface that the zone of
 * @args->traddr names, EPROTO if the other side's report is one of this side, ENOMEM, or why the
 * namespace cannot be entered.
 */
int nvme_mptcp_check(const struct nvme_mptcp_check_args *args, nvme_mptcp_findings_t *ret);

/**
 * nvme_mptcp_findings_free() - free findings
 * @findings: Findings, or NULL
 */
void nvme_mptcp_findings_free(nvme_mptcp_findings_t findings);

/**
 * nvme_mptcp_findings_own_role() - the side of this machine
 *
 * Commands of this side can be run here; those of the other side belong on the machine whose report
 * was given.
 *
 * Return: As nvme_mptcp_findings_role(), without the side of a report.
 */
unsigned int nvme_mptcp_findings_own_role(nvme_mptcp_findings_t findings);

/**
 * nvme_mptcp_findings_role() - the sides that were judged
 *
 * Return: Or-ed 1 << NVME_MPTCP_ROLE_HOST and 1 << NVME_MPTCP_ROLE_TARGET; 0 if this machine is
 * neither, so that only the kernel was looked at.
 */
unsigned int nvme_mptcp_findings_role(nvme_mptcp_findings_t findings);

/**
 * nvme_mptcp_findings_ignored() - how many findings were left out
 *
 * Return: The number of findings of the rules that were to be ignored.
 */
size_t nvme_mptcp_findings_ignored(nvme_mptcp_findings_t findings);

/**
 * nvme_mptcp_finding_next() - go through the findings
 * @f:	      A finding, or NULL for the first one
 *
 * Return: The next finding, the worst ones first, or NULL after the last one.
 */
nvme_mptcp_finding_t nvme_mptcp_finding_next(nvme_mptcp_findings_t findings,
					     nvme_mptcp_finding_t f);

/**
 * nvme_mptcp_for_each_finding() - go through the findings
 * @findings: Findings
 * @f:	      Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_finding(findings, f) \
	for (nvme_mptcp_finding_t f = nvme_mptcp_finding_next(findings, NULL); f; \
	     f = nvme_mptcp_finding_next(findings, f))

/** nvme_mptcp_finding_rule() - the rule: its id in doc/mptcp-rules.md, e.g. "H08" */
const char *nvme_mptcp_finding_rule(nvme_mptcp_finding_t f);

/** nvme_mptcp_finding_severity() - how bad it is */
enum nvme_mptcp_severity nvme_mptcp_finding_severity(nvme_mptcp_finding_t f);

/** nvme_mptcp_finding_side() - where it is wrong; NVME_MPTCP_ROLE_HOST or NVME_MPTCP_ROLE_TARGET */
enum nvme_mptcp_role nvme_mptcp_finding_side(nvme_mptcp_finding_t f);

/**
 * nvme_mptcp_severity_name() - name of a severity, as in JSON
 * @severity: Severity
 *
 * Return: "info", "warning" or "error"; "unknown" for any other.
 */
const char *nvme_mptcp_severity_name(enum nvme_mptcp_severity severity);

/** nvme_mptcp_finding_subject() - what it is about, e.g. "endpoint 3 (192.0.2.1)" or "nvme1" */
const char *nvme_mptcp_finding_subject(nvme_mptcp_finding_t f);

/** nvme_mptcp_finding_kind() - the kind of what it is about */
enum nvme_mptcp_subject nvme_mptcp_finding_kind(nvme_mptcp_finding_t f);

/**
 * nvme_mptcp_finding_object() - what it is about, as a program needs it
 * @i: Number, from 0
 *
 * Return: Such as "nvme1", or the id of an endpoint and then its address; NULL after the last one.
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
 * nvme_mptcp_finding_evidence() - what the finding rests on
 * @i:	   Number, from 0
 * @value: Where to store the value
 *
 * Return: The key that belongs to @value, or NULL after the last one.
 */
const char *nvme_mptcp_finding_evidence(nvme_mptcp_finding_t f, size_t i, const char **value);

/**
 * nvme_mptcp_finding_fix() - commands that fix it
 * @i:	  Number, from 0
 * @side: Where to store the side that it is to be run on: NVME_MPTCP_ROLE_HOST or
 *	  NVME_MPTCP_ROLE_TARGET
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
 * nvme_mptcp_rule() - the rules that there are, then former ids that stand for one of them
 * @i:	   Number, from 0
 * @title: Where to store what the rule finds, a few words
 *
 * Return: The id of the rule, or NULL after the last one.
 */
const char *nvme_mptcp_rule(size_t i, const char **title);

/**
 * nvme_mptcp_findings_to_json() - findings as a JSON document
 * @pretty:   Indented, for people?
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
