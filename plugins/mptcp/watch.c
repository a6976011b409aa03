// SPDX-License-Identifier: GPL-2.0-or-later
/* Refresh a screen like top(1). */
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "watch.h"

#define LONGEST_WAIT 1e9 /* seconds; practically infinite, but fits any time_t */
#define SCREEN_BUFFER (256 * 1024)

/* Synchronized output: terminals that support it show the screen at the end; others ignore it. */
#define BEGIN_UPDATE "\033[?2026h"
#define END_UPDATE "\033[?2026l"
#define CLEAR "\033[H\033[J"

void watch_operand(struct command *cmd, double *interval)
{
	for (int i = 0; i < cmd->argc; i++) {
		char *end;
		double value = strtod(cmd->argv[i], &end);

		if (end == cmd->argv[i] || *end || !isfinite(value))
			continue;
		*interval = value;
		for (int j = i; j + 1 < cmd->argc; j++)
			cmd->argv[j] = cmd->argv[j + 1];
		cmd->argc--;
		return;
	}
}

void watch_wait(double seconds)
{
	struct timespec left;

	if (seconds > LONGEST_WAIT)
		seconds = LONGEST_WAIT;
	left.tv_sec = (time_t)seconds;
	left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

int watch_check_interval(struct command *cmd, double seconds)
{
	/* Written so that "nan" is refused. */
	if (seconds == 0 || (seconds >= WATCH_MIN && seconds <= WATCH_MAX))
		return 0;
	return command_fail(cmd, 0,
			    "--interval=%g: use a number of seconds from %g to %g, or 0 for "
			    "no wait",
			    seconds, WATCH_MIN, WATCH_MAX);
}

/* Modes of the terminal before the start, and now. */
static struct {
	struct termios before, now;
	bool changed;
} terminal;

/* The screen that is being printed. */
static struct {
	struct text text;
	FILE *screen; /* original output stream; NULL: no screen is being printed */
	size_t columns;
} frame;

static void restore(void)
{
	if (terminal.changed)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

/* Restore the terminal, then take the signal's default action. All calls are async-signal-safe. */
static void on_end(int number)
{
	restore();
	signal(number, SIG_DFL);
	raise(number);
}

static void on_stop(int number)
{
	restore();
	raise(SIGSTOP);
}

static void on_continue(int number)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.now);
}

static void catch_signal(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct sigaction before;

	/* A signal that was ignored at the start, for example by nohup(1), stays ignored. */
	if (!sigaction(number, NULL, &before) && before.sa_handler == SIG_IGN)
		return;
	sigaction(number, &action, NULL);
}

/* Make the terminal deliver single keys, unless this process is in the background. */
static void take_keys(void)
{
	static const int ends[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE, SIGALRM,
				    SIGUSR1, SIGUSR2, SIGABRT, SIGSEGV, SIGBUS,	 SIGFPE };

	if (tcgetpgrp(STDIN_FILENO) != getpgrp() || tcgetattr(STDIN_FILENO, &terminal.before))
		return;
	terminal.now = terminal.before;
	terminal.now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	terminal.now.c_cc[VMIN] = 1;
	terminal.now.c_cc[VTIME] = 0;
	terminal.changed = true;
	atexit(restore);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		catch_signal(ends[i], on_end);
	catch_signal(SIGTSTP, on_stop);
	catch_signal(SIGCONT, on_continue);
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.now);
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* True if q is among the pending keys, or the terminal is gone. */
static bool is_q_pressed(void)
{
	char keys[64];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));

	if (n < 0)
		return errno != EINTR && errno != EAGAIN;
	return !n || memchr(keys, 'q', (size_t)n) || memchr(keys, 'Q', (size_t)n);
}

bool watch_ended(double seconds)
{
	const double end = seconds_now() + seconds;
	struct pollfd keys = { .fd = STDIN_FILENO, .events = POLLIN };

	if (!terminal.changed) {
		watch_wait(seconds);
		return false;
	}
	for (double left = seconds; left > 0; left = end - seconds_now()) {
		const int ms = left < 1000 ? (int)(left * 1000) + 1 : 1000000;

		if (poll(&keys, 1, ms) > 0 && is_q_pressed())
			return true;
	}
	return false;
}

static bool is_screen(const struct command *cmd)
{
	return !out_is_json(cmd->out) && isatty(STDOUT_FILENO);
}

void watch_start(const struct command *cmd)
{
	if (!is_screen(cmd))
		return;
	setvbuf(stdout, NULL, _IOFBF, SCREEN_BUFFER);
	take_keys();
}

/* Return the length of the escape sequence at @text, or 0. */
static size_t escape_length(const char *text)
{
	size_t n = 2;

	if (text[0] != '\033' || text[1] != '[')
		return 0;
	while (text[n] && !(text[n] >= '@' && text[n] <= '~'))
		n++;
	return text[n] ? n + 1 : n;
}

/* Print @text with lines cut at @columns. Escape sequences are kept, so that colours end. */
static void print_cut(FILE *stream, const char *text, size_t columns)
{
	size_t column = 0, n;

	for (; *text; text += n) {
		n = escape_length(text);
		if (n) {
			fwrite(text, 1, n, stream);
			continue;
		}
		n = 1;
		/* A character of UTF-8 takes one column; its first byte is counted. */
		column += ((unsigned char)*text & 0xc0) != 0x80;
		if (*text == '\n' || column <= columns)
			fputc(*text, stream);
		if (*text == '\n')
			column = 0;
	}
}

static void begin_cutting(struct command *cmd, size_t columns)
{
	if (!text_open(&frame.text))
		return;
	frame.screen = out_redirect(cmd->out, frame.text.stream);
	frame.columns = columns;
}

static void end_cutting(struct command *cmd)
{
	if (!frame.screen)
		return;
	out_redirect(cmd->out, frame.screen);
	if (!text_close(&frame.text))
		print_cut(frame.screen, frame.text.bytes, frame.columns);
	text_wipe_cleanup(&frame.text);
	memset(&frame, 0, sizeof(frame));
}

int watch_begin(struct command *cmd)
{
	struct winsize size;

	if (!is_screen(cmd))
		return -1;
	out_text(cmd->out, "%s", BEGIN_UPDATE CLEAR);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return -1;
	if (size.ws_col)
		begin_cutting(cmd, size.ws_col);
	return size.ws_row - 1;
}

size_t watch_columns(void)
{
	return frame.screen ? frame.columns : 0;
}

int watch_end(struct command *cmd)
{
	end_cutting(cmd);
	if (is_screen(cmd))
		out_text(cmd->out, "%s", END_UPDATE);
	else
		out_text(cmd->out, "\n");
	return out_finish(cmd->out);
}
