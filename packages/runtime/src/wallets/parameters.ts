import type { KeyType } from '@ledger-ops/adapter';
import { invalidRequest, type ProblemIssue, type Secret } from '@ledger-ops/base';
import { type JsonSchema, readSchema } from '@ledger-ops/glo-core';
import type { LedgerDefinition } from '../ledger-definition.ts';

/** Source of a new wallet's key. */
export type KeySource =
  | { kind: 'new' }
  /** The key in the usual text format of its type. */
  | { kind: 'private-key'; privateKey: Secret }
  | { kind: 'keystore'; keystore: Secret; password: Secret };

/** The parameters of createWallet, after all checks that do not need the ledger. */
export interface WalletParameters {
  password: Secret;
  source: KeySource;
  /** Parameters for the ledger's adapter. They never contain a key or the wallet's password. */
  forAdapter: Record<string, string>;
}

type Parameters = ReadonlyMap<string, Secret>;
type Refuse = (name: string, detail: string) => void;

const maxPassword = 1_024;

/** Names of the parameters that import a key, by key type. These parameters are never passed to an adapter. */
const imports: Readonly<Record<KeyType, readonly string[]>> = {
  secp256k1: ['privateKey', 'keystore', 'keystorePassword'],
  p256: ['privateKey'],
  ed25519: ['privateKey'],
};

/** JSON Pointer of a parameter in the body of createWallet. */
export function parameterPointer(name: string): string {
  return `/pluginParameters/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * Reads the parameters of a wallet: those of the host, which depend on the key type, and those that the adapter
 * describes. A remote plugin holds the keys itself. If it does not describe its parameters, it receives all of them
 * except the password.
 *
 * @throws Problem `invalid-request` that names every missing, unknown or conflicting parameter, but does not contain
 * any values
 */
export function readWalletParameters(
  { keyType, description }: Pick<LedgerDefinition, 'keyType' | 'description'>,
  given: Parameters,
  minPasswordLength: number,
): WalletParameters {
  const described = description?.walletParameters;
  const own = ['walletPassword', ...(keyType === null ? [] : imports[keyType])];
  const theirs = Object.keys(described?.properties ?? {}).filter((name) => !own.includes(name));
  const takesAny = keyType === null && described === undefined;
  const issues: ProblemIssue[] = [];
  const refuse: Refuse = (name, detail) => issues.push({ pointer: parameterPointer(name), detail });

  for (const name of given.keys()) {
    if (takesAny || own.includes(name) || theirs.includes(name)) continue;
    const others = Object.entries(imports).filter(([, names]) => names.includes(name));
    const known = `is not a parameter of this ledger; allowed parameters are ${[...own, ...theirs].join(', ')}`;
    const types = others.map(([type]) => type).join(', ');
    refuse(name, types === '' ? known : `is only for ${types} keys; ${keysAre(keyType)}`);
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

function keysAre(keyType: KeyType | null): string {
  return keyType === null
    ? 'the plugin of this ledger keeps the keys itself'
    : `this ledger uses ${keyType} keys`;
}

function sourceOf(given: Parameters, refuse: Refuse): KeySource {
  const privateKey = given.get('privateKey');
  const keystore = given.get('keystore');
  const password = given.get('keystorePassword');
  if (privateKey !== undefined && keystore !== undefined) {
    refuse('keystore', 'cannot be combined with `privateKey`, because a wallet has one key');
  }
  if (keystore !== undefined && password === undefined) {
    refuse('keystorePassword', 'is required with keystore');
  }
  if (keystore === undefined && password !== undefined) {
    refuse('keystorePassword', 'is only allowed with `keystore`');
  }
  if (privateKey !== undefined) return { kind: 'private-key', privateKey };
  if (keystore !== undefined && password !== undefined) return { kind: 'keystore', keystore, password };
  return { kind: 'new' };
}

/** Validates parameters against the adapter's schema. Its dependencies may refer to the host's own parameters. */
function issuesOf(
  given: Parameters,
  { properties, ...rest }: JsonSchema,
  own: readonly string[],
): ProblemIssue[] {
  const texts = Object.fromEntries(own.map((name) => [name, { type: 'string' }]));
  // `properties` is always an object, because the host rejects any other description.
  const schema = readSchema({ ...rest, properties: { ...(properties as JsonSchema), ...texts } });
  const values = Object.fromEntries([...given].map(([name, value]) => [name, value.reveal()]));
  const { issues } = schema.read(values, '/pluginParameters');
  return issues.map(({ pointer, detail }) => ({ pointer, detail }));
}

/** Returns an error message, or null if the password is acceptable. Lengths count characters, not UTF-16 code units. */
export function passwordFault(password: Secret, minimum: number): string | null {
  const { length } = Array.from(password.reveal());
  if (length < minimum) return `must have at least ${minimum} characters`;
  return length > maxPassword ? `must have at most ${maxPassword} characters` : null;
}
