// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A controller's Replay Protected Memory Block, with the HMAC SHA-256 of OpenSSL, which is loaded
 * when it is needed. Files in the device's directory, all of which may be missing but the first:
 *
 *	rpmb		that there is one: targets 0 and 1
 *	rpmb-key-N	the key of target N, once it is programmed
 *	rpmb-counter-N	its write counter, as digits
 *	rpmb-data-N	its sectors
 *	rpmb-config	the Device Configuration Block
 *	rpmb-tamper	what is wrong with the next answers: mac, nonce, type, target, counter, address,
 *			or a number: the operation result
 *
 * Debian's program has its hashes made by the kernel, so sockets of AF_ALG are here as well.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_alg.h>
#include <linux/nvme_ioctl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/opensslv.h>

#include "preload.h"

#define HEAD 256
#define SECTOR 512
#define SECTORS 256
#define MAC_FROM 223

#define SONAME_OF(version) "libcrypto.so." #version
#define SONAME(version) SONAME_OF(version)

static void hmac(const unsigned char *key, const void *data, size_t size, unsigned char *mac)
{
	__typeof__(&EVP_sha256) sha256;
	__typeof__(&HMAC) compute;
	static void *library;

	preload_pause_failures(true);
	if (!library)
		library = dlopen(SONAME(OPENSSL_SHLIB_VERSION), RTLD_NOW | RTLD_LOCAL);
	if (!library)
		_exit(99);
	sha256 = (__typeof__(sha256))dlsym(library, "EVP_sha256");
	compute = (__typeof__(compute))dlsym(library, "HMAC");
	if (!compute(sha256(), key, 32, data, size, mac, NULL))
		_exit(99);
	preload_pause_failures(false);
}

static uint32_t get(const unsigned char *at, int size)
{
	uint32_t value = 0;

	while (size--)
		value = value << 8 | at[size];
	return value;
}

static void put(unsigned char *at, int size, uint32_t value)
{
	for (int i = 0; i < size; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

static const char *file_of(const char *device, const char *what, int target)
{
	static char name[64];

	if (target < 0)
		snprintf(name, sizeof(name), "%.16s/rpmb-%s", device, what);
	else
		snprintf(name, sizeof(name), "%.16s/rpmb-%s-%d", device, what, target);
	return name;
}

/* @size bytes of a file; what it does not have is zero. Is there one? */
static bool load(const char *name, unsigned char *to, size_t size)
{
	size_t length = 0;
	char *data = preload_load(name, &length);

	memset(to, 0, size);
	if (data)
		memcpy(to, data, length < size ? length : size);
	free(data);
	return data;
}

static void save(const char *name, const void *data, size_t size)
{
	preload_append(name, O_CREAT | O_TRUNC, data, size);
}

/* What the next answer is made from. */
static unsigned char request[HEAD], answer_head[HEAD];

static void save_counter(const char *device, int target, uint32_t counter)
{
	char digits[16];

	save(file_of(device, "counter", target), digits,
	     (size_t)snprintf(digits, sizeof(digits), "%u\n", counter));
}

/* Becomes the result of the write in @frame, of @size bytes. */
static unsigned int write_frame(const char *device, int target, const unsigned char *frame,
				size_t size)
{
	uint32_t counter = (uint32_t)preload_load_number(file_of(device, "counter", target), 0);
	uint32_t address = get(frame + 244, 4), sectors = get(frame + 248, 4);
	static unsigned char data[SECTORS * SECTOR];
	unsigned char key[32], mac[32];

	if (!load(file_of(device, "key", target), key, sizeof(key)))
		return 7;
	hmac(key, frame + MAC_FROM, size - MAC_FROM, mac);
	if (memcmp(mac, frame + 191, sizeof(mac)))
		return 2;
	if (get(frame + 240, 4) != counter)
		return 3;
	if (address + sectors > SECTORS || size != HEAD + sectors * SECTOR)
		return 4;
	if (get(frame + 254, 2) == 6) {
		save(file_of(device, "config", -1), frame + HEAD, SECTOR);
	} else {
		load(file_of(device, "data", target), data, sizeof(data));
		memcpy(data + address * SECTOR, frame + HEAD, sectors * SECTOR);
		save(file_of(device, "data", target), data, sizeof(data));
	}
	save_counter(device, target, counter + 1);
	return 0;
}

static unsigned int program(const char *device, int target, const unsigned char *frame)
{
	if (preload_exists(file_of(device, "key", target)))
		return 5;
	save(file_of(device, "key", target), frame + 191, 32);
	return 0;
}

/* What a write has, and what becomes of it, beside the command that brought it. */
static void note_write(const unsigned char *frame, size_t size)
{
	uint32_t sum = 0;

	for (size_t i = 191; i < size; i++)
		sum = (sum ^ frame[i]) * 0x01000193;
	preload_note("  rpmb type=%x target=%x counter=%x address=%x sectors=%x sum=%x result=%x\n",
		     get(frame + 254, 2), frame[MAC_FROM], get(frame + 240, 4), get(frame + 244, 4),
		     get(frame + 248, 4), sum, get(answer_head + 252, 2));
}

static void take(const char *device, int target, const unsigned char *frame, size_t size)
{
	const unsigned int type = get(frame + 254, 2);

	if (type == 5) /* the answer is there already */
		return;
	memcpy(request, frame, HEAD);
	memset(answer_head, 0, HEAD);
	answer_head[MAC_FROM] = (unsigned char)target;
	put(answer_head + 254, 2, type << 8);
	memcpy(answer_head + 244, frame + 244, 8);
	if (type == 1)
		put(answer_head + 252, 2, program(device, target, frame));
	else if (type == 3 || type == 6)
		put(answer_head + 252, 2, write_frame(device, target, frame, size));
	else
		memcpy(answer_head + 224, frame + 224, 16);
	if (type == 1 || type == 3 || type == 6)
		note_write(frame, size);
}

static void tamper(const char *device, unsigned char *frame, bool sealed)
{
	size_t size = 0;
	char *how = preload_load(file_of(device, "tamper", -1), &size);

	if (how && sealed == !strcmp(how, "mac")) {
		if (sealed)
			frame[191] ^= 1;
		else if (!strcmp(how, "nonce"))
			frame[224] ^= 1;
		else if (!strcmp(how, "type"))
			put(frame + 254, 2, 0xa00);
		else if (!strcmp(how, "target"))
			frame[MAC_FROM] = 5;
		else if (!strcmp(how, "counter"))
			put(frame + 240, 4, get(frame + 240, 4) + 1);
		else if (!strcmp(how, "address"))
			put(frame + 244, 4, 77);
		else
			put(frame + 252, 2, (uint32_t)strtoul(how, NULL, 0));
	}
	free(how);
}

static void give(const char *device, int target, unsigned char *frame, size_t size)
{
	const unsigned int type = get(request + 254, 2);
	static unsigned char data[SECTORS * SECTOR];
	size_t at = get(request + 244, 4) * SECTOR;
	unsigned char key[32];
	uint32_t counter = (uint32_t)preload_load_number(file_of(device, "counter", target), 0);
	bool has_key = load(file_of(device, "key", target), key, sizeof(key));

	memset(frame, 0, size);
	memcpy(frame, answer_head, HEAD);
	put(frame + 240, 4, counter);
	if (!has_key && type != 1 && type != 7)
		put(frame + 252, 2, 7);
	if (type == 7)
		load(file_of(device, "config", -1), frame + HEAD, size - HEAD);
	if (type == 4) {
		load(file_of(device, "data", target), data, sizeof(data));
		memcpy(frame + HEAD, data + at, size - HEAD);
	}
	tamper(device, frame, false);
	if (type != 1)
		hmac(key, frame + MAC_FROM, size - MAC_FROM, frame + 191);
	tamper(device, frame, true);
}

bool preload_rpmb(const char *device, const struct nvme_passthru_cmd *cmd)
{
	const int target = (int)(cmd->cdw10 & 0xff);
	void *data = (void *)(uintptr_t)cmd->addr;
	char name[32];

	snprintf(name, sizeof(name), "%.16s/rpmb", device);
	if (cmd->cdw10 >> 8 != 0xea0001 || cmd->data_len < HEAD || target > 1 ||
	    !preload_exists(name))
		return false;
	if (cmd->opcode == 0x81)
		take(device, target, data, cmd->data_len);
	else if (cmd->opcode == 0x82)
		give(device, target, data, cmd->data_len);
	return cmd->opcode == 0x81 || cmd->opcode == 0x82;
}

/* Hashes of the kernel: what is sent comes back as its digest. */

static int algorithm = -1, results[2] = { -1, -1 };
static unsigned char algorithm_key[32];

int socket(int domain, int type, int protocol)
{
	if (domain != AF_ALG)
		return REAL_FUNCTION(int, socket, int, int, int)(domain, type, protocol);
	algorithm = preload_open("/dev/null", O_RDWR | O_CLOEXEC, 0);
	return algorithm;
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
	if (fd >= 0 && fd == algorithm)
		return 0;
	return REAL_FUNCTION(int, bind, int, const struct sockaddr *, socklen_t)(fd, address, size);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	if (level != SOL_ALG)
		return REAL_FUNCTION(int, setsockopt, int, int, int, const void *,
				     socklen_t)(fd, level, name, value, size);
	memset(algorithm_key, 0, sizeof(algorithm_key));
	memcpy(algorithm_key, value, size < sizeof(algorithm_key) ? size : sizeof(algorithm_key));
	return 0;
}

int accept(int fd, struct sockaddr *address, socklen_t *size)
{
	if (fd < 0 || fd != algorithm)
		return REAL_FUNCTION(int, accept, int, struct sockaddr *, socklen_t *)(fd, address,
										       size);
	return pipe(results) ? -1 : results[0];
}

ssize_t send(int fd, const void *data, size_t size, int flags)
{
	unsigned char mac[32];

	if (fd < 0 || fd != results[0])
		return REAL_FUNCTION(ssize_t, send, int, const void *, size_t, int)(fd, data, size,
										    flags);
	hmac(algorithm_key, data, size, mac);
	if (REAL_FUNCTION(ssize_t, write, int, const void *, size_t)(results[1], mac, 32) != 32)
		_exit(99);
	return (ssize_t)size;
}
