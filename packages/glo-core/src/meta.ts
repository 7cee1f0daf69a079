import type { ContentIssue } from './content/content-run.ts';
import type { JsonObject } from './json/json-values.ts';
import { toPointer } from './json/pointer.ts';
import { gloLimits } from './limits.ts';
import {
  invalid,
  kindOf,
  type Problem,
  toError,
  unknownMember,
  unsupportedVersion,
  wrongLedger,
} from './problems.ts';
import { isObject, readMember } from './read-member.ts';
import { type GloTechnology, isTechnologyName, opaqueTechnology } from './technologies/technology.ts';
import { type Glo, type LedgerMeta, type Meta, type OperationType, operationTypes } from './types.ts';

export interface MetaReading {
  /** Valid only if there are no problems. */
  meta: Meta | undefined;
  problems: Problem[];
  /** Problems with parts that exceed the limits. If there are any, no others are reported. */
  alone: Problem[];
  /** Number of characters in strings that must not be stored in plain text. */
  secretLength: number;
}

const noName = /[\p{Cc}\p{Cs}]/u;
const nameDetail = 'must be a non-empty string without control characters';

/**
 * Reads a document's `meta`: content is validated by the schemas of its technologies; for any other technology it is
 * opaque JSON.
 */
export function readMeta(
  input: Record<string, unknown>,
  base: string,
  technologies: readonly GloTechnology[],
  target: string | undefined,
): MetaReading {
  const found: MetaReading = { meta: undefined, problems: [], alone: [], secretLength: 0 };
  const given = readMember(input, 'meta');
  if (given === undefined) return found;
  const at = `${base}/meta`;
  const meta = requireObject(given, at, found);
  if (meta === undefined) return found;
  refuseOthers(meta, ['ledger'], at, found);
  const ledger = readMember(meta, 'ledger');
  const ledgers = ledger === undefined ? {} : requireObject(ledger, `${at}/ledger`, found);
  const type = operationTypes.find((one) => one === readMember(input, 'type'));
  for (const [name, entry] of Object.entries(ledgers ?? {})) {
    if (entry === undefined) continue;
    const known = technologies.find(({ technology }) => technology === name);
    const place = toPointer(`${at}/ledger`, [name]);
    if (!isTechnologyName(name) || (known === undefined && !isLedgerMeta(entry))) {
      found.problems.push(unknownLedger(place, `${at}/ledger`));
      continue;
    }
    if (target !== undefined && name !== target) found.problems.push(wrongLedger(place, name, target));
    const read = readLedger(entry, known ?? opaqueTechnology(name), type, place, found);
    if (read === undefined) continue;
    found.meta ??= {};
    found.meta[name] = read;
  }
  return found;
}

/**
 * Validates native content by a technology's schema, if a GLO was parsed without it, and returns the GLO with
 * normalized content.
 *
 * @param pointer JSON Pointer of the GLO, for the issues.
 * @throws {GloError}
 */
export function checkContent<Of extends Glo>(glo: Of, technology: GloTechnology, pointer = ''): Of {
  const name = technology.technology;
  const given = glo.meta === undefined || !Object.hasOwn(glo.meta, name) ? undefined : glo.meta[name];
  if (given === undefined) return glo;
  const found: MetaReading = { meta: undefined, problems: [], alone: [], secretLength: 0 };
  const entry = { version: given.version, native_transaction_content: given.content };
  const read = readLedger(entry, technology, glo.type, `${pointer}/meta/ledger/${name}`, found);
  const problems = found.alone.length > 0 ? found.alone : found.problems;
  if (read === undefined || problems.length > 0) throw toError(problems);
  return { ...glo, meta: { ...glo.meta, [name]: read } };
}

function readLedger(
  entry: unknown,
  technology: GloTechnology,
  type: OperationType | undefined,
  place: string,
  found: MetaReading,
): LedgerMeta | undefined {
  const members = requireObject(entry, place, found);
  if (members === undefined) return undefined;
  refuseOthers(members, ['version', 'native_transaction_content'], place, found);
  const version = readVersion(readMember(members, 'version'), technology, `${place}/version`, found);
  const at = `${place}/native_transaction_content`;
  const content = readMember(members, 'native_transaction_content');
  if (content === undefined) {
    found.problems.push(invalid(at, 'is required'));
    return undefined;
  }
  for (const issue of technology.rules?.(content, type, at) ?? []) report(issue, found);
  if (found.alone.length > 0) return undefined;
  // If the operation type is missing or unknown, the content is checked against the schema for `transfer`.
  const reading = technology.contentOf(type ?? 'transfer').read(content, at);
  for (const issue of reading.issues) report(issue, found);
  found.secretLength += reading.secretLength;
  if (reading.issues.length > 0 || version === undefined) return undefined;
  if (isObject(reading.value)) return { version, content: reading.value as JsonObject };
  found.problems.push(invalid(at, `must be an object, not ${kindOf(content)}`));
  return undefined;
}

function readVersion(
  version: unknown,
  technology: GloTechnology,
  at: string,
  { problems }: MetaReading,
): string | undefined {
  const detail = versionDetail(version);
  if (detail !== undefined) {
    problems.push(invalid(at, detail));
    return undefined;
  }
  // If the check failed, it has a detail.
  const text = version as string;
  if (technology.readsVersion(text)) return text;
  problems.push(unsupportedVersion(at, text, technology.versions));
  return undefined;
}

function versionDetail(version: unknown): string | undefined {
  if (version === undefined) return 'is required';
  if (typeof version !== 'string') return `must be text, not ${kindOf(version)}`;
  if (version.length > gloLimits.nameLength) return `must have at most ${gloLimits.nameLength} characters`;
  return version === '' || noName.test(version) ? nameDetail : undefined;
}

function report({ pointer, detail, alone }: ContentIssue, found: MetaReading): void {
  (alone === true ? found.alone : found.problems).push(invalid(pointer, detail));
}

/** Whether this has the form of a ledger's meta. */
function isLedgerMeta(entry: unknown): boolean {
  return (
    readMember(entry, 'version') !== undefined && isObject(readMember(entry, 'native_transaction_content'))
  );
}

function unknownLedger(place: string, parent: string): Problem {
  if (place === parent) return unknownMember(place, parent);
  const detail =
    'is not a known member; a technology name must be lowercase, and its object must contain version and native_transaction_content';
  return invalid(place, detail);
}

function requireObject(
  value: unknown,
  at: string,
  { problems }: MetaReading,
): Record<string, unknown> | undefined {
  if (isObject(value)) return value;
  problems.push(invalid(at, `must be an object, not ${kindOf(value)}`));
  return undefined;
}

function refuseOthers(
  object: Record<string, unknown>,
  known: readonly string[],
  at: string,
  { problems }: MetaReading,
): void {
  for (const name of Object.keys(object)) {
    if (!known.includes(name)) problems.push(unknownMember(toPointer(at, [name]), at));
  }
}
