/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directive Send and Receive. Use <nvme/ioctl.h>. NVM Express Base, "Directives".
 *
 * Common to all functions unless noted otherwise:
 * @fd: Controller or namespace device
 * @nsid: Namespace
 *
 * Return: 0, the NVMe status, or -1 with errno set.
 */
#pragma once

/**
 * nvme_directive_send() - Directive Send (19h)
 * @args: Directive type and operation, their specific fields, and data
 */
int nvme_directive_send(struct nvme_directive_send_args *args);

/**
 * nvme_directive_recv() - Directive Receive (1Ah)
 * @args: Directive type and operation, their specific fields, and a buffer
 */
int nvme_directive_recv(struct nvme_directive_recv_args *args);

/**
 * nvme_directive_send_id_endir() - enable or disable a directive
 * @endir:	Enable
 * @dtype:	Directive
 * @id:		Parameters to send along, or NULL; the specification has none
 */
int nvme_directive_send_id_endir(int fd, __u32 nsid, bool endir, enum nvme_directive_dtype dtype,
				 struct nvme_id_directives *id);

/**
 * nvme_directive_send_stream_release_identifier() - release one stream
 * @stream_id:	Stream
 */
static inline int nvme_directive_send_stream_release_identifier(int fd, __u32 nsid, __u16 stream_id)
{
	struct nvme_directive_send_args args = {
		.result = NULL,
		.data = NULL,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.nsid = nsid,
		.doper = NVME_DIRECTIVE_SEND_STREAMS_DOPER_RELEASE_IDENTIFIER,
		.dtype = NVME_DIRECTIVE_DTYPE_STREAMS,
		.cdw12 = 0,
		.data_len = 0,
		.dspec = stream_id,
	};

	return nvme_directive_send(&args);
}

/** nvme_directive_send_stream_release_resource() - release the stream resources of a namespace */
static inline int nvme_directive_send_stream_release_resource(int fd, __u32 nsid)
{
	struct nvme_directive_send_args args = {
		.result = NULL,
		.data = NULL,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.nsid = nsid,
		.doper = NVME_DIRECTIVE_SEND_STREAMS_DOPER_RELEASE_RESOURCE,
		.dtype = NVME_DIRECTIVE_DTYPE_STREAMS,
		.cdw12 = 0,
		.data_len = 0,
		.dspec = 0,
	};

	return nvme_directive_send(&args);
}

/**
 * nvme_directive_recv_fields() - Directive Receive, given the fields that differ between operations
 * @dtype:	Directive
 * @doper:	Operation
 * @cdw12:	Dword 12
 * @data_len:	Bytes at @data
 * @data:	Where to store the data, or NULL
 * @result:	Where to store dword 0 of the completion, or NULL
 */
static inline int nvme_directive_recv_fields(int fd, __u32 nsid, enum nvme_directive_dtype dtype,
					     enum nvme_directive_receive_doper doper, __u32 cdw12,
					     __u32 data_len, void *data, __u32 *result)
{
	struct nvme_directive_recv_args args = {
		.result = result,
		.data = data,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.nsid = nsid,
		.doper = doper,
		.dtype = dtype,
		.cdw12 = cdw12,
		.data_len = data_len,
		.dspec = 0,
	};

	return nvme_directive_recv(&args);
}

/**
 * nvme_directive_recv_identify_parameters() - read which directives are supported and enabled
 * @id:		Where to store the parameters
 */
static inline int nvme_directive_recv_identify_parameters(int fd, __u32 nsid,
							  struct nvme_id_directives *id)
{
	return nvme_directive_recv_fields(fd, nsid, NVME_DIRECTIVE_DTYPE_IDENTIFY,
					  NVME_DIRECTIVE_RECEIVE_IDENTIFY_DOPER_PARAM, 0,
					  sizeof(*id), id, NULL);
}

/**
 * nvme_directive_recv_stream_parameters() - read the stream resources of a namespace
 * @parms:	Where to store the parameters
 */
static inline int nvme_directive_recv_stream_parameters(int fd, __u32 nsid,
							struct nvme_streams_directive_params *parms)
{
	return nvme_directive_recv_fields(fd, nsid, NVME_DIRECTIVE_DTYPE_STREAMS,
					  NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_PARAM, 0,
					  sizeof(*parms), parms, NULL);
}

/**
 * nvme_directive_recv_stream_status() - read the open streams of a namespace
 * @nr_entries:	Stream identifiers that fit in @id, at most NVME_STREAM_ID_MAX
 * @id:		Where to store the status, 2 + @nr_entries * 2 bytes; whole dwords are read
 *
 * Return: As nvme_directive_recv(); EINVAL for more than NVME_STREAM_ID_MAX entries.
 */
static inline int nvme_directive_recv_stream_status(int fd, __u32 nsid, unsigned int nr_entries,
						    struct nvme_streams_directive_status *id)
{
	if (nr_entries > NVME_STREAM_ID_MAX) {
		errno = EINVAL;
		return -1;
	}
	return nvme_directive_recv_fields(fd, nsid, NVME_DIRECTIVE_DTYPE_STREAMS,
					  NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_STATUS, 0,
					  (__u32)(sizeof(*id) + nr_entries * sizeof(id->sid[0])),
					  id, NULL);
}

/**
 * nvme_directive_recv_stream_allocate() - request stream resources
 * @nsr:	Streams requested
 * @result:	Where to store the number of streams allocated (bits 15:00), or NULL
 */
static inline int nvme_directive_recv_stream_allocate(int fd, __u32 nsid, __u16 nsr, __u32 *result)
{
	return nvme_directive_recv_fields(fd, nsid, NVME_DIRECTIVE_DTYPE_STREAMS,
					  NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_RESOURCE, nsr, 0,
					  NULL, result);
}
