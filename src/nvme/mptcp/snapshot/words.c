// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names in reports of what the kernel numbers. */
#include <stddef.h>
#include <linux/rtnetlink.h>

#include "words.h"

const char *const report_address_flags[REPORT_ADDRESS_FLAGS] = {
	"secondary", "nodad",	  "optimistic",	    "dadfailed",     "homeaddress", "deprecated",
	"tentative", "permanent", "managetempaddr", "noprefixroute", "mcautojoin",
};

const char *const report_endpoint_flags[REPORT_ENDPOINT_FLAGS] = {
	"signal", "subflow", "backup", "fullmesh", "implicit", "laminar",
};

const char *report_route_type(unsigned int type)
{
	static const char *const names[] = {
		[RTN_UNICAST] = "unicast",
		[RTN_BLACKHOLE] = "blackhole",
		[RTN_UNREACHABLE] = "unreachable",
		[RTN_PROHIBIT] = "prohibit",
		[RTN_THROW] = "throw",
	};

	return type < sizeof(names) / sizeof(*names) && names[type] ? names[type] : "other";
}
