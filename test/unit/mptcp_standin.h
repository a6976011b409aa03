/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stand-in for netlink; what it knows of controllers comes from fake_sysfs.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* If it is set: changes each answer before it is read. */
extern void (*standin_garble)(void *data, size_t length);

/* If it is set: why the kernel cannot be asked for the route to an address. */
extern int standin_route_errno;

/* If it is set: the MTU that each link has. */
extern unsigned int standin_mtu;

#define STANDIN_CONNECTIONS 3
#define STANDIN_SUBFLOWS (2 * STANDIN_CONNECTIONS)
#define STANDIN_ENDPOINTS 2
#define STANDIN_LINKS 3
#define STANDIN_PORTAL "10.1.1.1"
#define STANDIN_SOURCE "10.1.1.2"

/* Connections to the portal: how many, and the token of the first one, which others count on from. */
extern struct standin_sockets {
	uint32_t n;
	uint32_t token;
} standin_sockets;

/* The address attribute of the controller that they belong to. */
#define STANDIN_ADDRESS "traddr=" STANDIN_PORTAL ",trsvcid=4420,src_addr=" STANDIN_SOURCE

/* What whoever listens to the path manager receives next: of a connection to the portal. */
void standin_event(unsigned int type, uint32_t token);
