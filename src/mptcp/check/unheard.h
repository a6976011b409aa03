/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Announced addresses of a target at which hosts get no answer. */
#pragma once

#include "rule.h"

struct check;

/* A policy of IPsec that drops packets: what is sent to @peer (@out), or what comes from there. */
struct ipsec {
	struct prefix peer;
	bool out, blocks;
};

/* What of a machine filters packets. */
enum filter {
	FILTER_IP = 1, /* rules of a firewall */
	FILTER_ARP = 2,
	FILTER_TC = 4, /* filters of traffic control */
	FILTER_BPF = 8, /* eBPF programs of links: XDP or tcx */
};

/* Evidence of F10 on a target: the hosts that the policy is about. */
#define FACT_IPSEC_PEER "peer"
#define FACT_IPSEC_LENGTH "prefix"

/* R08 for a link with ARP off; F10, for information, for a policy of IPsec without association. */
void check_report_arp_off(struct check *c, enum rule_id rule);
void check_report_ipsec(struct check *c, enum rule_id rule);
