/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../tree/private.h"
#include "option-table.h"

#define OF_CTRL(member) .offset = offsetof(struct nvme_ctrl, member)
#define OF_PEER(member) OF_CTRL(member)
#define OF_HOST(member) .of_host = true, .offset = offsetof(struct nvme_host, member)
#define OF_CFG(member) .of_options = true, .offset = offsetof(struct nvme_ctrl, options.cfg.member)
#define OF_OWN(member) .of_options = true, .offset = offsetof(struct nvme_ctrl, options.member)

/* clang-format off */
#define ROW(id, name_, ...) \
	[OPTION_##id] = { .name = #name_, __VA_ARGS__ },
#define NAMED(id, name) \
	ROW(id, name, .type = OPTION_TYPE_NAMED)
#define TEXT(id, name, json_, owner, member, longest, traits_, rules_, ...) \
	ROW(id, name, .json = json_, .type = OPTION_TYPE_TEXT, OF_##owner(member), .most = longest, \
	    .traits = traits_, .rules = rules_)
#define KEY(id, name, longest, traits_, rules_, ...) \
	ROW(id, name, .json = #name, .type = OPTION_TYPE_KEY, OF_CTRL(name), \
	    .serial = offsetof(struct nvme_ctrl, options.cfg.name), .most = longest, \
	    .traits = traits_, .rules = rules_)
#define NUMBER(id, name, owner, least_, most_, standard_, unset_, traits_, rules_, ...) \
	ROW(id, name, .json = #name, .type = OPTION_TYPE_NUMBER, OF_##owner(name), .least = least_, \
	    .most = most_, .standard = standard_, .unset = unset_, .traits = traits_, \
	    .rules = rules_)
#define FLAG(id, name, owner, traits_, rules_, ...) \
	ROW(id, name, .json = #name, .type = OPTION_TYPE_FLAG, OF_##owner(name), .most = 1, \
	    .traits = traits_, .rules = rules_)
#define MARK(id, name, member, rules_, ...) \
	ROW(id, name, .json = #name, .type = OPTION_TYPE_MARK, OF_CTRL(member), .most = 1, \
	    .rules = rules_)

const struct option_row option_rows[N_OPTIONS] = {
	NVMF_OPTIONS(NAMED, TEXT, KEY, NUMBER, FLAG, MARK)
};
/* clang-format on */

const char *option_name(enum fabrics_option id)
{
	return option_rows[id].name;
}

const struct option_row *option_by_json(const char *key)
{
	for (size_t i = 0; i < N_OPTIONS; i++)
		if (option_rows[i].json && !strcmp(option_rows[i].json, key))
			return &option_rows[i];
	return NULL;
}
