/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/base64.h"
#include "base/crc32.h"
#include "interchange.h"

#define CRC_LEN 4
#define TEXT_MAX BASE64_LEN(KEY_MAX + CRC_LEN)

const struct key_format key_format_tls = { "NVMeTLSkey", 1, 0, NVME_HMAC_ALG_SHA2_384 };
const struct key_format dhchap_key_format = { "DHHC", 1, 1, NVME_HMAC_ALG_SHA2_512 };

static const struct {
	int err;
	const char *text;
} faults[] = {
	[KEY_FINE] = { 0, NULL },
	[KEY_FAULT_NAME] = { EINVAL, "does not start with the prefix of its key type" },
	[KEY_FAULT_VERSION] = { EINVAL, "has an undefined version" },
	[KEY_FAULT_HASH] = { EINVAL, "has an undefined hash function" },
	[KEY_FAULT_LENGTH] = { EINVAL, "is too short or too long for its hash function" },
	[KEY_FAULT_END] = { EINVAL, "does not end with a colon" },
	[KEY_FAULT_BASE64] = { EINVAL, "is not valid base64" },
	[KEY_FAULT_CRC] = { ENOKEY, "has a wrong checksum (mistyped?)" },
};

/* True if the length fits the hash; NVME_HMAC_ALG_NONE permits every length that some hash has. */
static bool key_len_fits(const struct key_format *format, unsigned char hash, size_t len)
{
	if (hash > format->max_hash || len % 16)
		return false;
	if (hash == NVME_HMAC_ALG_NONE)
		return len >= 32 && len <= 16U + 16U * format->max_hash;
	return len == 16U + 16U * hash;
}

/* CRC-32 of IEEE 802.3, like zlib's crc32(). */
static uint32_t key_crc(const unsigned char *key, size_t len)
{
	return ~crc32_le(~0U, key, len);
}

/* Parse two decimal digits and a colon. Return the number, or -1. */
static int parse_hash(const char *s)
{
	static const char digits[] = "0123456789";
	const char *high = memchr(digits, s[0], 10);
	const char *low = high ? memchr(digits, s[1], 10) : NULL;

	return low && s[2] == ':' ? (int)((high - digits) * 10 + (low - digits)) : -1;
}

enum key_fault key_interchange_decode(const struct key_format *format, const char *text,
				      struct interchange_key *ret)
{
	size_t name_len = strlen(format->name), text_len;
	unsigned char raw[TEXT_MAX];
	enum key_fault fault = KEY_FINE;
	unsigned char version;
	size_t key_len;
	uint32_t crc;
	int hash, n;

	if (!text || strncmp(text, format->name, name_len) || text[name_len] != '-')
		return KEY_FAULT_NAME;
	text += name_len + 1;
	version = (unsigned char)(*text - '0');
	if (version < format->min_version || version > format->max_version || text[1] != ':')
		return KEY_FAULT_VERSION;
	text += 2;
	hash = parse_hash(text);
	if (hash < 0 || hash > format->max_hash)
		return KEY_FAULT_HASH;
	text += 3;

	text_len = strnlen(text, TEXT_MAX + 2);
	if (text_len > TEXT_MAX + 1)
		return KEY_FAULT_LENGTH;
	if (!text_len || text[text_len - 1] != ':')
		return KEY_FAULT_END;
	n = base64_decode(text, (int)text_len - 1, raw);
	if (n < 0) {
		fault = KEY_FAULT_BASE64;
		goto out;
	}
	key_len = n > CRC_LEN ? (size_t)n - CRC_LEN : 0;
	if (!key_len_fits(format, (unsigned char)hash, key_len)) {
		fault = KEY_FAULT_LENGTH;
		goto out;
	}
	crc = raw[key_len] | (uint32_t)raw[key_len + 1] << 8 | (uint32_t)raw[key_len + 2] << 16 |
	      (uint32_t)raw[key_len + 3] << 24;
	if (crc != key_crc(raw, key_len)) {
		fault = KEY_FAULT_CRC;
		goto out;
	}

	memcpy(ret->data, raw, key_len);
	ret->len = key_len;
	ret->crc = crc;
	ret->version = version;
	ret->hash = (unsigned char)hash;
out:
	explicit_bzero(raw, sizeof(raw));
	return fault;
}

char *key_interchange_encode(const struct key_format *format, unsigned char version,
			     unsigned char hash, const unsigned char *key, size_t len)
{
	uint32_t crc = key_crc(key, len);
	unsigned char raw[KEY_MAX + CRC_LEN];
	char encoded[TEXT_MAX + 1];
	char *text;

	memcpy(raw, key, len);
	for (int i = 0; i < CRC_LEN; i++)
		raw[len + i] = (unsigned char)(crc >> (8 * i));
	base64_encode(raw, (int)len + CRC_LEN, encoded);
	text = str_format("%s-%u:%02u:%s:", format->name, version, hash, encoded);
	explicit_bzero(raw, sizeof(raw));
	explicit_bzero(encoded, sizeof(encoded));
	return text;
}

unsigned char *key_import(const struct key_format *format, const char *text,
			  struct interchange_key *ret)
{
	enum key_fault fault = key_interchange_decode(format, text, ret);
	unsigned char *data = fault ? failure_null(-faults[fault].err) : malloc(ret->len);

	if (data)
		memcpy(data, ret->data, ret->len);
	explicit_bzero(ret->data, sizeof(ret->data));
	return data;
}

char *key_export(const struct key_format *format, unsigned char version, unsigned char hash,
		 const unsigned char *key, size_t len)
{
	char *text;

	if (!key || version > format->max_version || !key_len_fits(format, hash, len))
		return failure_null(-EINVAL);
	text = key_interchange_encode(format, version, hash, key, len);
	return text ? text : failure_null(-ENOMEM);
}

const char *key_error(const struct key_format *format, const char *text)
{
	struct interchange_key key;
	enum key_fault fault = key_interchange_decode(format, text, &key);

	explicit_bzero(&key, sizeof(key));
	return faults[fault].text;
}
