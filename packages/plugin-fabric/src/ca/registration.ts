import { z } from 'zod';
import { invalid } from '../invalid.ts';
import type { CaProperties } from '../properties.ts';

const phase = 'wallet';
const attributesSchema = z.record(z.string().regex(/^[^\p{Cc}]{1,256}$/u), z.string());

/**
 * Reads the affiliation of a new identity. Chaincode trusts what certificates say, so callers may choose only what the
 * ledger's administrators allow.
 * @throws AdapterError `invalid-argument`
 */
export function readAffiliation(
  name: string | undefined,
  { affiliations }: CaProperties,
): string | undefined {
  if (name === undefined || affiliations.includes(name)) return name;
  throw invalid(
    phase,
    '/parameters/affiliation',
    `is not among the affiliations that ${leftTo('ca_affiliations', affiliations)}`,
  );
}

/**
 * Reads the attributes, a JSON object of strings. Callers may choose only what the ledger's administrators allow.
 * @throws AdapterError `invalid-argument`
 */
export function readAttributes(
  text: string | undefined,
  { attributes }: CaProperties,
): Record<string, string> {
  if (text === undefined) return {};
  const pointer = '/parameters/attributes';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw invalid(phase, pointer, 'must be a JSON object with string values');
  }
  const parsed = attributesSchema.safeParse(json);
  if (!parsed.success) throw invalid(phase, pointer, 'must be a JSON object with string values');
  const stranger = Object.keys(parsed.data).find((name) => !attributes.includes(name));
  if (stranger === undefined) return parsed.data;
  throw invalid(
    phase,
    pointer,
    `must not contain ${stranger}: it is not one of the attributes that ${leftTo('ca_attributes', attributes)}`,
  );
}

function leftTo(property: string, names: readonly string[]): string {
  const which = names.length === 0 ? 'nothing' : names.join(', ');
  return `wallets of this ledger may choose (ledger property ${property}: ${which})`;
}
