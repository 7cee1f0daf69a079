import { z } from 'zod';
import { invalid } from '../invalid.ts';
import type { CaProperties } from '../properties.ts';

const phase = 'wallet';
const attributesSchema = z.record(z.string().regex(/^[^\p{Cc}]{1,256}$/u), z.string());

/**
 * The affiliation that a new identity is to have; chaincode believes what certificates say, so that only the ledger's
 * administrators leave the choice to others.
 * @throws AdapterError `invalid-argument`
 */
export function readAffiliation(
  name: string | undefined,
  { affiliations }: CaProperties,
): string | undefined {
  if (name === undefined || affiliations.includes(name)) return name;
  throw invalid(phase, '/parameters/affiliation', `is none that ${leftTo('ca_affiliations', affiliations)}`);
}

/** Attributes, likewise; a JSON object of texts. @throws AdapterError `invalid-argument` */
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
    throw invalid(phase, pointer, 'must be a JSON object of texts');
  }
  const parsed = attributesSchema.safeParse(json);
  if (!parsed.success) throw invalid(phase, pointer, 'must be a JSON object of texts');
  const stranger = Object.keys(parsed.data).find((name) => !attributes.includes(name));
  if (stranger === undefined) return parsed.data;
  throw invalid(
    phase,
    pointer,
    `may not hold ${stranger}, which is none that ${leftTo('ca_attributes', attributes)}`,
  );
}

function leftTo(property: string, names: readonly string[]): string {
  const which = names.length === 0 ? 'nothing' : names.join(', ');
  return `the ledger leaves to whoever makes wallets (its property ${property}: ${which})`;
}
