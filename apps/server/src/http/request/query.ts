import { z } from '@hono/zod-openapi';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { parseWith } from '../problems/issues.ts';

/** Parameter names of tokens and secrets, which belong in headers and bodies, never in a URL. */
const secretNames = new Set([
  'access_token',
  'api_token',
  'apitoken',
  'application_token',
  'applicationtoken',
  'authorization',
  'bearer',
  'client_assertion',
  'client_secret',
  'password',
  'privatekey',
  'private_key',
  'secret',
  'token',
  'walletpassword',
  'wallet_password',
]);
/** Application tokens, API tokens and JWTs, under any parameter name. */
const secretForm =
  /(?:^|\s)(?:(?:app|sak)_[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*)/;

/**
 * Rejects NUL in a query string or form: no field needs it, and PostgreSQL does not accept it.
 *
 * @throws Problem `invalid-request`
 */
export function refuseNul(encoded: string): void {
  if (!encoded.includes('%00') && !encoded.includes('\0')) return;
  throw invalidRequest([{ pointer: '', detail: 'must not contain NUL characters' }]);
}

/**
 * Rejects tokens in the query string, because URLs appear in logs, histories and Referer headers.
 *
 * @throws Problem `invalid-request`
 */
export function refuseSecrets(query: URLSearchParams): void {
  for (const [name, value] of query) {
    if (secretNames.has(name.toLowerCase()) || secretForm.test(value)) {
      const pointer = secretForm.test(name) ? 'query' : name.slice(0, 64);
      const detail = 'looks like a secret, which must not be in a URL; use the header or the body';
      throw new Problem('invalid-request', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
  }
}

/**
 * Parses query parameters with a schema. A parameter whose schema is an array may be repeated and comma-separated; any
 * other may appear once. The schema decides whether unknown names are allowed.
 *
 * @throws Problem `invalid-request` that names each wrong parameter
 */
export function readQuery<Output>(
  schema: z.ZodType<Output>,
  lists: ReadonlySet<string>,
  query: URLSearchParams,
): Output {
  return parseWith(schema, splitQuery(lists, query), 'parameter');
}

/** Splits a query into strings and, for list parameters, arrays. @throws Problem `invalid-request` */
function splitQuery(lists: ReadonlySet<string>, query: URLSearchParams): Record<string, string | string[]> {
  const raw: Record<string, string | string[]> = {};
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    if (lists.has(name)) {
      raw[name] = values.flatMap((value) => value.split(',')).filter((value) => value !== '');
    } else if (values.length > 1) {
      throw invalidRequest([{ pointer: name, detail: 'is given more than once' }]);
    } else {
      raw[name] = values[0] ?? '';
    }
  }
  return raw;
}

/** Returns the names of the list parameters in a schema. */
export function listParameters(schema: z.ZodObject): ReadonlySet<string> {
  const names = Object.entries(schema.shape).flatMap(([name, value]) => (isList(value) ? [name] : []));
  return new Set(names);
}

function isList(schema: unknown): boolean {
  if (schema instanceof z.ZodArray) return true;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return isList(schema.def.innerType);
  return schema instanceof z.ZodPipe ? isList(schema.def.in) : false;
}
