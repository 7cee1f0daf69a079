import { z } from '@hono/zod-openapi';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { parseWith } from '../problems/issues.ts';

/** Names that a token or a secret would have; these belong into headers and bodies, never into a URL. */
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
/** Application tokens, API tokens and JWTs, whatever the parameter is called. */
const secretForm =
  /(?:^|\s)(?:(?:app|sak)_[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*)/;

/**
 * Refuses tokens in the query string: URLs stand in logs, histories and Referer headers.
 *
 * @throws Problem `invalid-request`
 */
export function refuseSecrets(query: URLSearchParams): void {
  for (const [name, value] of query) {
    if (secretNames.has(name.toLowerCase()) || secretForm.test(value)) {
      const pointer = secretForm.test(name) ? 'query' : name.slice(0, 64);
      const detail = 'looks like a secret, which a URL must not carry; use the header or the body';
      throw new Problem('invalid-request', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
  }
}

/**
 * Reads query parameters by a schema. A parameter whose schema is an array may be repeated and comma-separated;
 * any other is given once. The names that the schema does not know are its own matter (strict or not).
 *
 * @throws Problem `invalid-request` naming each parameter
 */
export function readQuery<Output>(
  schema: z.ZodType<Output>,
  lists: ReadonlySet<string>,
  query: URLSearchParams,
): Output {
  return parseWith(schema, splitQuery(lists, query), 'parameter');
}

/** Query parameters as text and, where they are lists, as arrays. @throws Problem `invalid-request` */
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

/** Names of a schema's parameters that are lists. */
export function listParameters(schema: z.ZodObject): ReadonlySet<string> {
  const names = Object.entries(schema.shape).flatMap(([name, value]) => (isList(value) ? [name] : []));
  return new Set(names);
}

function isList(schema: unknown): boolean {
  if (schema instanceof z.ZodArray) return true;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return isList(schema.def.innerType);
  return schema instanceof z.ZodPipe ? isList(schema.def.in) : false;
}
