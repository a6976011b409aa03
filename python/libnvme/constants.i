/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every enumerator and every macro of <nvme/types.h> that has a value; no structure, no function.
 * topics.i, made at build, includes the headers that <nvme/types.h> is made of.
 */
#define __attribute__(x)
#define __extension__
%rename("$ignore", %$isclass) "";
%rename("$ignore", %$isfunction) "";
%include "topics.i"
%rename("%s", %$isclass) "";
%rename("%s", %$isfunction) "";

/* Macros that stand for enumerators, which the preprocessor leaves nothing of. */
%pythoncode %{
NVMF_DISC_EFLAGS_BOTH = NVMF_DISC_EFLAGS_DUPRETINFO | NVMF_DISC_EFLAGS_EPCSD
NVME_MI_CSS_CFS = NVME_MI_CCS_CFS
NVME_MI_CSS_SHST = NVME_MI_CCS_SHST
NVME_MI_CSS_NSSRO = NVME_MI_CCS_NSSRO
NVME_MI_CSS_CECO = NVME_MI_CCS_CECO
NVME_MI_CSS_NAC = NVME_MI_CCS_NAC
NVME_MI_CSS_FA = NVME_MI_CCS_FA
NVME_MI_CSS_CSTS = NVME_MI_CCS_CSTS
NVME_MI_CSS_CTEMP = NVME_MI_CCS_CTEMP
NVME_MI_CSS_PDLU = NVME_MI_CCS_PDLU
NVME_MI_CSS_SPARE = NVME_MI_CCS_SPARE
NVME_MI_CSS_CCWARN = NVME_MI_CCS_CCWARN
%}
