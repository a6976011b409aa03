// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme sanitize: NVM Express Base Specification 2.1, section 5.1.22 */
#include "device/request.h"

struct sanitize_args {
	const char *sanact;
	uint8_t owpass;
	uint32_t ovrpat;
	bool no_dealloc, oipbp, ause, emvs;
	uint8_t action;
	bool force;
};
#define ARGS struct sanitize_args

static const struct arg sanitize_options[] = {
	OPT_FLAG("no-dealloc", 'd', ARGS, no_dealloc, "do not deallocate the blocks afterwards"),
	OPT_FLAG("oipbp", 'i', ARGS, oipbp,
		 "invert the pattern between the passes of an overwrite"),
	OPT(BYTE, "owpass", 'n', ARGS, owpass, "N", "passes of an overwrite"),
	OPT_FLAG("ause", 'u', ARGS, ause, "allow the exit from a failure without another sanitize"),
	OPT(STR, "sanact", 'a', ARGS, sanact, "ACTION",
	    "1 exit-failure, 2 start-block-erase, 3 start-overwrite, 4 start-crypto-erase, 5 "
	    "exit-media-verification"),
	OPT(UINT, "ovrpat", 'p', ARGS, ovrpat, "N", "pattern of an overwrite"),
	OPT_FLAG("emvs", 'e', ARGS, emvs, "enter media verification afterwards"),
	OPT_FORCE(ARGS, "sanitize even if a namespace of the subsystem is in use"),
	GENERIC_OPTIONS,
	OPT_END,
};

static const struct name actions[] = {
	{ NVME_SANITIZE_SANACT_EXIT_FAILURE, "Exit Failure Mode", "exit-failure" },
	{ NVME_SANITIZE_SANACT_START_BLOCK_ERASE, "Start a block erase", "start-block-erase" },
	{ NVME_SANITIZE_SANACT_START_OVERWRITE, "Start an overwrite", "start-overwrite" },
	{ NVME_SANITIZE_SANACT_START_CRYPTO_ERASE, "Start a crypto erase", "start-crypto-erase" },
	{ NVME_SANITIZE_SANACT_EXIT_MEDIA_VERIF, "Exit media verification",
	  "exit-media-verification" },
	{ 0, NULL, NULL },
};

static bool is_known(unsigned int action)
{
	return action && action <= NVME_SANITIZE_SANACT_EXIT_MEDIA_VERIF;
}

static int check_sanitize(struct command *cmd)
{
	struct sanitize_args *args = cmd->args;
	unsigned int action = 0;

	if (!args->sanact || name_value(actions, args->sanact, UINT8_MAX, &action) ||
	    !is_known(action))
		return command_fail(cmd, 0,
				    "Invalid Sanitize Action (--sanact=start-crypto-erase, for "
				    "example)");
	args->action = (uint8_t)action;
	if (action == NVME_SANITIZE_SANACT_EXIT_FAILURE && (args->ause || args->no_dealloc))
		return command_fail(cmd, 0,
				    "SANACT is Exit Failure Mode (--ause and --no-dealloc are for "
				    "actions that erase)");
	if (action != NVME_SANITIZE_SANACT_START_OVERWRITE &&
	    (args->owpass || args->oipbp || args->ovrpat))
		return command_fail(cmd, 0,
				    "SANACT is not Overwrite (--owpass, --oipbp and --ovrpat are "
				    "for that)");
	if (args->owpass > 15)
		return command_fail(cmd, 0, "OWPASS out of range [0-15]");
	/* These actions erase nothing, so the subsystem may be in use. */
	if (action == NVME_SANITIZE_SANACT_EXIT_FAILURE ||
	    action == NVME_SANITIZE_SANACT_EXIT_MEDIA_VERIF)
		args->force = true;
	return 0;
}

static int answer_sanitize(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct sanitize_args *args = cmd->args;

	return out_is_json(cmd->out)
		       ? command_succeed(cmd, "sanitize: %s", name_of(actions, args->action))
		       : 0;
}

REQUEST_COMMAND(sanitize_command, "sanitize", "Erase all data of a subsystem beyond recovery",
		sanitize_options, ARGS, .opcode = nvme_admin_sanitize_nvm,
		.parts = REQUEST_PARTS(
			REQUEST_BITS(10, 0, 3, ARGS, action), REQUEST_BITS(10, 3, 1, ARGS, ause),
			REQUEST_BITS(10, 4, 4, ARGS, owpass), REQUEST_BITS(10, 8, 1, ARGS, oipbp),
			REQUEST_BITS(10, 9, 1, ARGS, no_dealloc),
			REQUEST_BITS(10, 10, 1, ARGS, emvs), REQUEST_BITS(11, 0, 32, ARGS, ovrpat)),
		REQUEST_ERASES(SUBSYSTEM, ARGS), .check = check_sanitize,
		.answer = answer_sanitize);
