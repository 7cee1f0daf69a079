import { invalidRequest, type ProblemIssue, type Secret } from '@ledger-ops/base';
import { type JsonSchema, readSchema } from '@ledger-ops/glo-core';
import type { HeldType } from '../keys/key-types.ts';
import type { LedgerDefinition } from '../ledger-definition.ts';

/** Where a new wallet's key comes from. */
export type KeySource =
  | { kind: 'new' }
  /** As its type of key is written. */
  | { kind: 'private-key'; privateKey: Secret }
  | { kind: 'keystore'; keystore: Secret; password: Secret };

/** The parameters of createWallet, checked as far as texts can be. */
export interface WalletParameters {
  password: Secret;
  source: KeySource;
  /** Passed to the ledger's adapter: no key and no password of the wallet's is among it. */
  forAdapter: Record<string, string>;
}

type Parameters = ReadonlyMap<string, Secret>;
type Refuse = (name: string, detail: string) => void;

const maxPassword = 1_024;

/** The parameters by which a key of a type is imported; no adapter is told them. */
const imports: Readonly<Record<HeldType, readonly string[]>> = {
  secp256k1: ['privateKey', 'keystore', 'keystorePassword'],
  p256: ['privateKey'],
  ed25519: ['privateKey'],
  remote: [],
};

/** JSON Pointer of a parameter in the body of createWallet. */
export function parameterPointer(name: string): string {
  return `/pluginParameters/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * Reads the parameters of a wallet: the host's own, which are those of its key type, and those that the adapter describes. A
 * remote plugin, which keeps the keys itself, is told everything but the password, unless it describes what it takes.
 *
 * @throws Problem `invalid-request` naming every parameter that is missing, unknown or does not go with another;
 * never a value.
 */
export function readWalletParameters(
  { keyType, description }: Pick<LedgerDefinition, 'keyType' | 'description'>,
  given: Parameters,
  minPasswordLength: number,
): WalletParameters {
  const described = description?.walletParameters;
  const own = ['walletPassword', ...imports[keyType]];
  const theirs = Object.keys(described?.properties ?? {}).filter((name) => !own.includes(name));
  const takesAny = keyType === 'remote' && described === undefined;
  const issues: ProblemIssue[] = [];
  const refuse: Refuse = (name, detail) => issues.push({ pointer: parameterPointer(name), detail });

  for (const name of given.keys()) {
    if (takesAny || own.includes(name) || theirs.includes(name)) continue;
    const others = Object.entries(imports).filter(([, names]) => names.includes(name));
    const known = `is not a parameter of this ledger; known are ${[...own, ...theirs].join(', ')}`;
    const types = others.map(([type]) => type).join(', ');
    refuse(name, types === '' ? known : `is for keys of ${types}; ${keysAre(keyType)}`);
  }
  const password = given.get('walletPassword');
  if (password === undefined) refuse('walletPassword', 'is required: the password of the new wallet');
  else {
    const detail = passwordFault(password, minPasswordLength);
    if (detail !== null) refuse('walletPassword', detail);
  }
  const source = sourceOf(new Map([...given].filter(([name]) => own.includes(name))), refuse);
  if (described !== undefined) {
    const known = [...given].filter(([name]) => own.includes(name) || theirs.includes(name));
    issues.push(...issuesOf(new Map(known), described, own));
  }
  if (issues.length > 0 || password === undefined) throw invalidRequest(issues);
  const told = [...given].filter(([name]) => (takesAny ? !own.includes(name) : theirs.includes(name)));
  return {
    password,
    source,
    forAdapter: Object.fromEntries(told.map(([name, value]) => [name, value.reveal()])),
  };
}

function keysAre(keyType: HeldType): string {
  return keyType === 'remote' ? "its plugin keeps this ledger's keys" : `this ledger's are of ${keyType}`;
}

function sourceOf(given: Parameters, refuse: Refuse): KeySource {
  const privateKey = given.get('privateKey');
  const keystore = given.get('keystore');
  const password = given.get('keystorePassword');
  if (privateKey !== undefined && keystore !== undefined) {
    refuse('keystore', 'and privateKey exclude each other: a wallet has one key');
  }
  if (keystore !== undefined && password === undefined) {
    refuse('keystorePassword', 'is required with keystore');
  }
  if (keystore === undefined && password !== undefined) {
    refuse('keystorePassword', 'goes with keystore only');
  }
  if (privateKey !== undefined) return { kind: 'private-key', privateKey };
  if (keystore !== undefined && password !== undefined) return { kind: 'keystore', keystore, password };
  return { kind: 'new' };
}

/** Held against the adapter's schema, in which the host's own may stand as what others go with. */
function issuesOf(
  given: Parameters,
  { properties, ...rest }: JsonSchema,
  own: readonly string[],
): ProblemIssue[] {
  const texts = Object.fromEntries(own.map((name) => [name, { type: 'string' }]));
  // Schemas by name, or no host would have taken the description.
  const schema = readSchema({ ...rest, properties: { ...(properties as JsonSchema), ...texts } });
  const values = Object.fromEntries([...given].map(([name, value]) => [name, value.reveal()]));
  const { issues } = schema.read(values, '/pluginParameters');
  return issues.map(({ pointer, detail }) => ({ pointer, detail }));
}

/** For people; null for a password that may be taken. Lengths are counted in characters, not in UTF-16 units. */
export function passwordFault(password: Secret, minimum: number): string | null {
  const { length } = Array.from(password.reveal());
  if (length < minimum) return `must have at least ${minimum} characters`;
  return length > maxPassword ? `must have at most ${maxPassword} characters` : null;
}
