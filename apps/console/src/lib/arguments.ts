import type { Parameter } from './interface.ts';

/** Kind of form field for an argument. */
export type ArgumentForm = 'text' | 'integer' | 'boolean' | 'json';

/**
 * Chooses the form field by the type name, in the notation of the ledger's plugin. Unknown types are entered
 * as text, which the ledger parses.
 */
export function argumentForm(type: string): ArgumentForm {
  if (/^bool(?:ean)?$/.test(type)) return 'boolean';
  if (/^(?:integer|u?int\d*|[iu]\d+)$/.test(type)) return 'integer';
  if (/\]$|^[([]|^(?:tuple|vec<)|^(?:array|object)$/.test(type)) return 'json';
  return 'text';
}

/** Whether an argument of this type is an account on the ledger: Ethereum's `address`, `publicKey` and `pubkey` of Solana. */
export function isAccount(type: string): boolean {
  return /^(?:address|public_?key|pubkey)$/i.test(type);
}

/** Returns the error in an argument that the user entered; undefined if it is valid. */
export function argumentFault(type: string, text: string): string | undefined {
  switch (argumentForm(type)) {
    case 'boolean':
      return text === 'true' || text === 'false' ? undefined : 'must be true or false';
    case 'integer':
      return /^-?(?:\d+|0x[\da-f]+)$/i.test(text) ? undefined : 'must be a whole number';
    case 'json':
      return isList(text) ? undefined : `must be JSON for ${type}, such as ["1", "2"]`;
    case 'text':
      return undefined;
  }
}

function isList(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/**
 * Parameters of a method given by its full signature: `transfer(address,uint256)`.
 *
 * @returns undefined if the string is not a signature
 */
export function parametersOf(signature: string): Parameter[] | undefined {
  const [, inner] = /^[^\s()]+\((.*)\)$/.exec(signature) ?? [];
  if (inner === undefined) return undefined;
  const types = splitTypes(inner);
  return types?.map((type) => ({ name: '', type }));
}

/** Splits at commas outside brackets. */
function splitTypes(list: string): string[] | undefined {
  if (list.trim() === '') return [];
  const types: string[] = [''];
  let depth = 0;
  for (const character of list) {
    if ('([<'.includes(character)) depth += 1;
    if (')]>'.includes(character)) depth -= 1;
    if (depth < 0) return undefined;
    if (character === ',' && depth === 0) types.push('');
    else types[types.length - 1] += character;
  }
  const trimmed = types.map((type) => type.trim());
  return depth === 0 && trimmed.every((type) => type !== '') ? trimmed : undefined;
}
