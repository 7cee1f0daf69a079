import { z } from '@hono/zod-openapi';

/** Text that both databases can hold: no NUL, no lone surrogates; a line break is allowed where `lines` says so. */
export function text(maximum: number, minimum = 1) {
  return z
    .string()
    .min(minimum, minimum === 1 ? 'must not be empty' : undefined)
    .max(maximum, { abort: true })
    .refine(isPlain, 'must have no control characters');
}

/** Text of several lines, such as an interface or a keystore. */
export function longText(maximum: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .max(maximum, { abort: true })
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be Unicode text without NUL');
}

const uuidForm = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

/** A UUID in its usual form, any version, as it was written. */
export function uuidAsWritten() {
  return z
    .string()
    .max(36, { error: 'must be a UUID', abort: true })
    .regex(uuidForm, 'must be a UUID')
    .openapi({ format: 'uuid' });
}

/** A UUID in its usual form, any version; given back in lower case. */
export function uuid() {
  return uuidAsWritten()
    .transform((value) => value.toLowerCase())
    .openapi({ format: 'uuid' });
}

/** The name of a technology; whether there is one is for plugins to say. */
export function technologyName() {
  return z
    .string()
    .max(64, { abort: true })
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be lower-case letters, digits and hyphens')
    .openapi({ description: 'Of `GET /v1/technologies`.', example: 'ethereum' });
}

/** An id as it may stand in a path: whatever it is, a wrong one is simply not found. */
export function pathId(description: string) {
  return text(256).openapi({ description });
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** An RFC 3339 time, kept as text. */
export function time() {
  return z
    .string()
    .max(64, { error: 'must be an RFC 3339 time', abort: true })
    .refine((value) => rfc3339.test(value) && !Number.isNaN(Date.parse(value)), 'must be an RFC 3339 time')
    .openapi({ format: 'date-time', example: '2026-11-20T12:30:05Z' });
}

/** An RFC 3339 time as milliseconds since the epoch. */
export function instant() {
  return time()
    .transform((value) => Date.parse(value))
    .openapi({ format: 'date-time', example: '2026-11-20T12:30:05Z' });
}

function isPlain(value: string): boolean {
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return false;
  }
  return value.isWellFormed();
}
