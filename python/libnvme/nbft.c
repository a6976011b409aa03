/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The NVMe Boot Firmware Table as Python dicts. */
#include "handles.h"

/* None for a missing string; firmware's bytes need not be UTF-8. */
static PyObject *text(const char *s)
{
	if (!s)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(s, (Py_ssize_t)strlen(s), "surrogateescape");
}

static PyObject *uuid_text(unsigned char *uuid)
{
	char string[NVME_UUID_LEN_STRING];

	if (!uuid)
		Py_RETURN_NONE;
	if (nvme_uuid_to_string(uuid, string))
		return PyErr_SetFromErrno(PyExc_OSError);
	return PyUnicode_FromString(string);
}

static PyObject *hex(const unsigned char *bytes, size_t size)
{
	char string[2 * 16 + 1];

	for (size_t i = 0; i < size; i++)
		snprintf(string + 2 * i, 3, "%02x", bytes[i]);
	return PyUnicode_FromString(string);
}

static PyObject *host_dict(const struct nbft_info_host *host)
{
	static const char *const flags[] = { "not indicated", "unselected", "selected" };
	PyObject *dict = PyDict_New();
	unsigned int primary = host->primary;

	if (dict && !dict_put(dict, "nqn", text(host->nqn)) &&
	    !dict_put(dict, "id", uuid_text(host->id)) &&
	    !dict_put(dict, "host_id_configured", PyBool_FromLong(host->host_id_configured)) &&
	    !dict_put(dict, "host_nqn_configured", PyBool_FromLong(host->host_nqn_configured)) &&
	    !dict_put(dict, "primary_admin_host_flag",
		      PyUnicode_FromString(primary < 3 ? flags[primary] : "reserved")))
		return dict;
	Py_XDECREF(dict);
	return NULL;
}

static int put_nid(PyObject *dict, const struct nbft_info_subsystem_ns *ss)
{
	const char *type = NULL;
	PyObject *nid = NULL;

	if (!ss->nid)
		return 0;
	switch (ss->nid_type) {
	case NBFT_INFO_NID_TYPE_EUI64:
		type = "eui64";
		nid = hex(ss->nid, 8);
		break;
	case NBFT_INFO_NID_TYPE_NGUID:
		type = "nguid";
		nid = hex(ss->nid, 16);
		break;
	case NBFT_INFO_NID_TYPE_NS_UUID:
		type = "uuid";
		nid = uuid_text(ss->nid);
		break;
	default:
		return 0;
	}
	if (dict_put(dict, "nid", nid))
		return -1;
	return dict_put(dict, "nid_type", PyUnicode_FromString(type));
}

/* Interfaces by their place in the list "hfi", from 0. */
static PyObject *hfi_indexes(const struct nbft_info_subsystem_ns *ss)
{
	PyObject *list = PyList_New(0);

	for (int i = 0; list && i < ss->num_hfis && ss->hfis && ss->hfis[i]; i++) {
		PyObject *index = PyLong_FromLong(ss->hfis[i]->index - 1);

		if (!index || PyList_Append(list, index))
			Py_CLEAR(list);
		Py_XDECREF(index);
	}
	return list;
}

static PyObject *subsystem_dict(const void *item)
{
	const struct nbft_info_subsystem_ns *ss = item;
	PyObject *dict = PyDict_New();

	if (dict && !dict_put(dict, "hfi_indexes", hfi_indexes(ss)) &&
	    !dict_put(dict, "trtype", text(ss->transport)) &&
	    !dict_put(dict, "traddr", text(ss->traddr)) &&
	    !dict_put(dict, "trsvcid", text(ss->trsvcid)) &&
	    !dict_put(dict, "subsys_port_id", PyLong_FromLong(ss->subsys_port_id)) &&
	    !dict_put(dict, "nsid", PyLong_FromUnsignedLong(ss->nsid)) && !put_nid(dict, ss) &&
	    !(ss->subsys_nqn && dict_put(dict, "subsys_nqn", text(ss->subsys_nqn))) &&
	    !dict_put(dict, "controller_id", PyLong_FromLong(ss->controller_id)) &&
	    !dict_put(dict, "asqsz", PyLong_FromLong(ss->asqsz)) &&
	    !(ss->dhcp_root_path_string &&
	      dict_put(dict, "dhcp_root_path_string", text(ss->dhcp_root_path_string))) &&
	    !dict_put(dict, "pdu_header_digest_required",
		      PyBool_FromLong(ss->pdu_header_digest_required)) &&
	    !dict_put(dict, "data_digest_required", PyBool_FromLong(ss->data_digest_required)))
		return dict;
	Py_XDECREF(dict);
	return NULL;
}

static PyObject *hfi_dict(const void *item)
{
	const struct nbft_info_hfi *hfi = item;
	const struct nbft_info_hfi_info_tcp *tcp = &hfi->tcp_info;
	const __u8 *mac = tcp->mac_addr;
	PyObject *dict = PyDict_New();
	char pci[32], mac_text[18];

	/* Segment, bus, device and function as PCI packs them. */
	snprintf(pci, sizeof(pci), "%x:%x:%x.%x", tcp->pci_sbdf >> 16, tcp->pci_sbdf >> 8 & 0xff,
		 tcp->pci_sbdf >> 3 & 0x1f, tcp->pci_sbdf & 0x7);
	snprintf(mac_text, sizeof(mac_text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
		 mac[2], mac[3], mac[4], mac[5]);
	if (dict && !dict_put(dict, "trtype", text(hfi->transport)) &&
	    !dict_put(dict, "pcidev", text(pci)) && !dict_put(dict, "mac_addr", text(mac_text)) &&
	    !dict_put(dict, "vlan", PyLong_FromLong(tcp->vlan)) &&
	    !dict_put(dict, "ip_origin", PyLong_FromLong(tcp->ip_origin)) &&
	    !dict_put(dict, "ipaddr", text(tcp->ipaddr)) &&
	    !dict_put(dict, "subnet_mask_prefix", PyLong_FromLong(tcp->subnet_mask_prefix)) &&
	    !dict_put(dict, "gateway_ipaddr", text(tcp->gateway_ipaddr)) &&
	    !dict_put(dict, "route_metric", PyLong_FromLong(tcp->route_metric)) &&
	    !dict_put(dict, "primary_dns_ipaddr", text(tcp->primary_dns_ipaddr)) &&
	    !dict_put(dict, "secondary_dns_ipaddr", text(tcp->secondary_dns_ipaddr)) &&
	    !dict_put(dict, "dhcp_server_ipaddr", text(tcp->dhcp_server_ipaddr)) &&
	    !(tcp->host_name && dict_put(dict, "host_name", text(tcp->host_name))) &&
	    !dict_put(dict, "this_hfi_is_default_route",
		      PyBool_FromLong(tcp->this_hfi_is_default_route)) &&
	    !dict_put(dict, "dhcp_override", PyBool_FromLong(tcp->dhcp_override)))
		return dict;
	Py_XDECREF(dict);
	return NULL;
}

static PyObject *discovery_dict(const void *item)
{
	const struct nbft_info_discovery *discovery = item;
	PyObject *dict = PyDict_New();

	if (dict &&
	    !(discovery->security &&
	      dict_put(dict, "security_index", PyLong_FromLong(discovery->security->index - 1))) &&
	    !(discovery->hfi &&
	      dict_put(dict, "hfi_index", PyLong_FromLong(discovery->hfi->index - 1))) &&
	    !dict_put(dict, "uri", text(discovery->uri)) &&
	    !dict_put(dict, "nqn", text(discovery->nqn)))
		return dict;
	Py_XDECREF(dict);
	return NULL;
}

/* A NULL-terminated list of pointers as a list of dicts. */
static PyObject *dicts(const void *const *items, PyObject *(*dict_of)(const void *item))
{
	PyObject *list = PyList_New(0);

	for (; list && items && *items; items++) {
		PyObject *dict = dict_of(*items);

		if (!dict || PyList_Append(list, dict))
			Py_CLEAR(list);
		Py_XDECREF(dict);
	}
	return list;
}

#define DICTS(list, dict_of) dicts((const void *const *)(list), dict_of)

PyObject *nbft_dict(const char *filename)
{
	struct nbft_info *nbft;
	PyObject *dict;
	int ret;

	if (!filename) {
		PyErr_SetString(PyExc_TypeError, "nbft_get: argument 'filename' must be str");
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS;
	ret = nvme_nbft_read(&nbft, filename);
	Py_END_ALLOW_THREADS;
	if (ret)
		Py_RETURN_NONE;
	dict = PyDict_New();
	if (dict && (dict_put(dict, "host", host_dict(&nbft->host)) ||
		     dict_put(dict, "subsystem", DICTS(nbft->subsystem_ns_list, subsystem_dict)) ||
		     dict_put(dict, "hfi", DICTS(nbft->hfi_list, hfi_dict)) ||
		     dict_put(dict, "discovery", DICTS(nbft->discovery_list, discovery_dict))))
		Py_CLEAR(dict);
	nvme_nbft_free(nbft);
	return dict;
}
