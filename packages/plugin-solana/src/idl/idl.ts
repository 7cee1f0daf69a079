import type { Phase } from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import { JsonError, parseJson } from '@ledger-ops/glo-core';
import { invalid } from '../invalid.ts';
import { type AnchorIdl, idlSchema } from './schema.ts';

/**
 * Maximum number of JSON values of an interface. The largest interfaces in use have some tens of thousands.
 */
const mostValues = 50_000;
export const longestText = 2 ** 20;
/** Maximum number of parsed interfaces in the cache. */
const mostKept = 64;

const kept = new Map<string, AnchorIdl>();

/**
 * Reads an Anchor IDL of either form into the form of Anchor 0.30.
 * @throws AdapterError `invalid-argument` with an issue for each fault
 */
export function parseIdl(text: string, phase: Phase, pointer = ''): AnchorIdl {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const idl = readIdl(text, phase, pointer);
  const [oldest] = kept.keys();
  if (kept.size >= mostKept && oldest !== undefined) kept.delete(oldest);
  kept.set(text, idl);
  return idl;
}

function readIdl(text: string, phase: Phase, pointer: string): AnchorIdl {
  if (text.length > longestText) throw invalid(phase, pointer, `has more than ${longestText} characters`);
  const parsed = idlSchema.safeParse(readJson(text, phase, pointer));
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, 50).map(({ path, message }) => ({
      pointer: [pointer, ...path.map(String)].join('/'),
      detail: message,
    }));
    const places = issues.map((issue) => `${issue.pointer} ${issue.detail}`).slice(0, 5);
    throw adapterError('invalid-argument', `This is not an Anchor IDL: ${places.join('; ')}.`, {
      phase,
      issues,
    });
  }
  const seen = new Set<string>();
  const twice = parsed.data.instructions.findIndex(({ name }) => seen.size === seen.add(name).size);
  if (twice >= 0) throw invalid(phase, `${pointer}/instructions/${twice}/name`, 'occurs twice');
  return parsed.data;
}

function readJson(text: string, phase: Phase, pointer: string): unknown {
  try {
    return parseJson(text, { values: mostValues });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw invalid(phase, pointer, `must be an Anchor IDL in JSON (${error.message})`);
  }
}
