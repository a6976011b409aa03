// SPDX-License-Identifier: GPL-2.0-or-later
#include "fields.h"
#include "parts.h"

#define KEY_SIZE 80
#define TEXT_SIZE 48
#define KELVIN 273 /* 0 °C in kelvin */

static const char *const not_supported[] = { "Not supported", "Supported", NULL };
static const char *const unsupported[] = { "Not Supported", "Supported", NULL };

void out_inner(struct out *out, const char *key)
{
	out_array(out, key);
	out_object(out, NULL);
}

/* Return the JSON key of a row. The default is its label, without the blanks that align values. */
static const char *key_of(const struct part *part, char key[KEY_SIZE])
{
	size_t n = 0;

	if (part->key || !part->label)
		return part->key;
	for (const char *p = part->label; *p && n < KEY_SIZE - 1; p++)
		if (*p != ' ' || (n && key[n - 1] != ' '))
			key[n++] = *p;
	if (n && key[n - 1] == ' ')
		n--;
	key[n] = '\0';
	return key;
}

static void out_line(struct out *out, const struct part *part, const char *value)
{
	out_text(out, "\t%s%s%s%s\n", part->label ? part->label : "",
		 !part->label  ? ""
		 : part->colon ? part->colon
			       : ": ",
		 value, part->suffix ? part->suffix : "");
}

static void show_command_sets(struct out *out, const struct part *part, uint64_t sets)
{
	const bool nvm = sets & 1, several = sets & 0x40, admin_only = sets & 0x80;

	out_text(out, "\t%s: NVM command set is %s\n", part->label, bits_word(unsupported, nvm));
	out_text(out, "\t\tOne or more I/O Command Sets are %s\n", bits_word(unsupported, several));
	out_text(out, "\t\t%s\n",
		 admin_only ? "Only Admin Command Set Supported" : "I/O Command Set is Supported");
	out_inner(out, part->label);
	out_str(out_json_only(out), "NVM command set", bits_word(not_supported, nvm));
	out_str(out_json_only(out), "One or more I/O Command Sets",
		bits_word(not_supported, several));
	out_str(out_json_only(out), admin_only ? "Only Admin Command Set" : "I/O Command Set",
		"Supported");
	out_ends(out, 2);
}

static void show_words(struct out *out, const struct part *part, uint64_t value)
{
	const char *word = bits_word(part->json ? part->json : part->text, value);
	char key[KEY_SIZE];

	if (part->kind != PART_JSON_WORDS)
		out_line(out, part, bits_word(part->text, value));
	if (part->kind == PART_TEXT_WORDS)
		return;
	if (part->inner)
		out_inner(out, part->label);
	out_str(out_json_only(out), part->inner ? part->inner : key_of(part, key), word);
	if (part->inner)
		out_ends(out, 2);
}

static void show_number_words(struct out *out, const struct part *part, uint64_t value)
{
	const char *word = bits_word(part->text, value);
	char key[KEY_SIZE], text[160];

	snprintf(text, sizeof(text), "%" PRIu64 " - %s", value, word);
	out_line(out, part, text);
	out_uint(out_json_only(out), key_of(part, key), value);
	out_str(out_json_only(out), part->more, word);
}

/* Print two scales, the one of the kind first. In JSON, the second one has the key part->more. */
static void show_temperature(struct out *out, const struct part *part, uint64_t value)
{
	const bool celsius_first = part->kind == PART_CELSIUS;
	char key[KEY_SIZE], celsius[TEXT_SIZE], kelvin[TEXT_SIZE], text[128];
	const int64_t degrees = (int64_t)value - KELVIN, fahrenheit = degrees * 9 / 5 + 32;

	snprintf(kelvin, sizeof(kelvin), "%" PRIu64 " K", value);
	if (celsius_first)
		snprintf(text, sizeof(text), "%" PRId64 " °C (%s, %" PRId64 " °F)", degrees, kelvin,
			 fahrenheit);
	else
		snprintf(text, sizeof(text), "%s (%" PRId64 " °C, %" PRId64 " °F)", kelvin, degrees,
			 fahrenheit);
	out_line(out, part, text);
	snprintf(celsius, sizeof(celsius), "%" PRId64 " Celsius", degrees);
	out_str(out_json_only(out), key_of(part, key), celsius_first ? celsius : kelvin);
	out_str(out_json_only(out), part->more, celsius_first ? kelvin : celsius);
}

static void format_power(const struct part *part, uint64_t value, char *text, size_t size)
{
	if (value == (UINT64_C(1) << part->width) - 1)
		snprintf(text, size, "No limit");
	else
		snprintf(text, size, "%" PRIu64, UINT64_C(1) << value);
}

static void format_number(const struct part *part, uint64_t value, char *text, size_t size)
{
	switch (part->kind) {
	case PART_HEX:
	case PART_BASE:
		snprintf(text, size, "%" PRIx64, value);
		break;
	case PART_HEX_4:
		snprintf(text, size, "%04" PRIx64, value);
		break;
	case PART_MASK:
	case PART_HEX_0X:
	case PART_OFFSET:
		snprintf(text, size, "%#" PRIx64, value);
		break;
	case PART_POWER:
		format_power(part, value, text, size);
		break;
	case PART_BYTES:
		snprintf(text, size, "%" PRIu64 " bytes", UINT64_C(1) << (value + part->unit));
		break;
	case PART_UNITS:
		snprintf(text, size, "%" PRIu64, value * part->unit);
		break;
	case PART_SECONDS:
		snprintf(text, size, "%" PRIu64 " secs", value / 2);
		break;
	case PART_VERSION:
		snprintf(text, size, "%" PRIu64 ".%" PRIu64 ".%" PRIu64, value >> 16,
			 value >> 8 & 0xff, value & 0xff);
		break;
	default:
		snprintf(text, size, "%" PRIu64, value);
	}
}

/* Print the number in JSON: @text unless JSON has another form. @whole: without masking. */
static void json_number(struct out *out, const struct part *part, uint64_t value, uint64_t whole,
			char *text, size_t size)
{
	char buffer[KEY_SIZE];
	const char *key = key_of(part, buffer);

	out_json_only(out);
	if (part->kind == PART_DEC || part->kind == PART_COUNT) {
		out_uint(out, key, value);
		return;
	}
	if (part->kind == PART_MASK || part->kind == PART_BASE)
		snprintf(text, size, "%" PRIx64, part->kind == PART_BASE ? whole : value);
	if (part->kind == PART_UNITS)
		snprintf(text, size, "%" PRIu64 "%s", value * part->unit, part->suffix);
	out_str(out, key, part->kind == PART_OFFSET && !value ? "0x0" : text);
}

static void show_number(struct out *out, const struct part *part, uint64_t value, uint64_t whole)
{
	char text[TEXT_SIZE];

	if (part->kind == PART_COUNT)
		value++;
	format_number(part, value, text, sizeof(text));
	out_line(out, part, text);
	json_number(out, part, value, whole, text, sizeof(text));
}

static void show_part(struct out *out, const struct part *part, uint64_t whole)
{
	uint64_t mask = part->width < 64 ? (UINT64_C(1) << part->width) - 1 : UINT64_MAX;
	uint64_t value = whole >> part->shift & mask;

	switch (part->kind) {
	case PART_COMMAND_SETS:
		show_command_sets(out, part, value);
		break;
	case PART_WORDS:
	case PART_JSON_WORDS:
	case PART_TEXT_WORDS:
		show_words(out, part, value);
		break;
	case PART_NUMBER_WORDS:
		show_number_words(out, part, value);
		break;
	case PART_CELSIUS:
	case PART_KELVIN:
		show_temperature(out, part, value);
		break;
	default:
		show_number(out, part, value, whole);
	}
}

bool part_any(const struct part *parts, size_t n, unsigned int id)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i].id == id)
			return true;
	return false;
}

void out_parts(struct out *out, const struct part *parts, size_t n, unsigned int id,
	       const struct parts_of *of)
{
	for (const struct part *part = parts; part < parts + n; part++) {
		if (part->id != id)
			continue;
		if (!part->size)
			show_part(out, part, of->value);
		else if (part->at + part->size <= of->length)
			show_part(out, part, field_get_le(of->data + part->at, part->size));
	}
}
