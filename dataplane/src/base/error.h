/* The answer to a request that is refused: code, field, cause and next step. */
#ifndef SEXTANT_ERROR_H
#define SEXTANT_ERROR_H

#define ERROR_FIELD_MAX 160
#define ERROR_TEXT_MAX 320

struct error {
	const char *code; /* one of the contract's codes, a literal; NULL: no error */
	char field[ERROR_FIELD_MAX];
	char message[ERROR_TEXT_MAX];
};

#define E_BAD_REQUEST "bad-request"
#define E_UNKNOWN_OP "unknown-op"
#define E_EXISTS "exists"
#define E_NOT_FOUND "not-found"
#define E_CORE "core-not-allowed"
#define E_CORE_TAKEN "core-taken"
#define E_BAD_CONFIG "bad-config"
#define E_NO_ROOM "no-room"
#define E_START_FAILED "start-failed"
#define E_CANCELLED "cancelled"
#define E_INTERNAL "internal"

/* Fills `err` (the first error wins) and returns -1, so that `return fail(...)` reads well. */
int fail(struct error *err, const char *code, const char *field, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
