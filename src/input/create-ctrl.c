/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Create controllers from options. */
#include "config-files.h"
#include "connect-args.h"

bool input_is_well_known_nqn(const char *nqn)
{
	return !strcmp(nqn, NVME_DISC_SUBSYS_NAME);
}

void input_set_keys(nvme_ctrl_t c, const struct fabrics_args *args)
{
	long serial;

	if (args->dhchap_ctrl_secret)
		nvme_ctrl_set_dhchap_key(c, args->dhchap_ctrl_secret);
	if (args->keyring && !input_is_serial(args->keyring, &serial))
		nvme_ctrl_set_keyring(c, args->keyring);
	if (args->tls_key && !input_is_serial(args->tls_key, &serial))
		nvme_ctrl_set_tls_key(c, args->tls_key);
	if (args->tls_key_identity)
		nvme_ctrl_set_tls_key_identity(c, args->tls_key_identity);
}

static void explain_create_failure(const struct fabrics_args *args, bool created, int err,
				   char **why)
{
	if (!created && err == ENVME_CONNECT_TRADDR)
		input_fail(
			why, err,
			"Invalid --host-traddr '%s': neither an address nor a name that resolves",
			args->host_traddr);
	else
		input_fail(why, err, "could not add new controller: %s", input_error_text(err));
}

nvme_ctrl_t input_create_ctrl(nvme_root_t r, const struct fabrics_args *args, const char *nqn,
			      char **why)
{
	const struct nvmf_options options = input_options(args);
	struct muted muted = input_mute(r);
	nvme_ctrl_t c;
	int err;

	c = nvme_create_ctrl(r, nqn, args->transport, args->traddr, args->host_traddr,
			     args->host_iface, args->trsvcid);
	input_unmute(&muted);
	if (c && !nvmf_set_options(c, &options, false)) {
		input_set_keys(c, args);
		return c;
	}
	err = errno;
	explain_create_failure(args, c, err, why);
	if (c)
		nvme_free_ctrl(c);
	errno = err;
	return NULL;
}
