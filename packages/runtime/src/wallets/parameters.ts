import { invalidRequest, type ProblemIssue, type Secret } from '@ledger-ops/base';
import type { Technology } from '@ledger-ops/glo-core';

/** Where a new wallet's key comes from. */
export type KeySource =
  | { kind: 'new' }
  /** As its type of key is written; the key of `certificate` (PEM) where there is one. */
  | { kind: 'private-key'; privateKey: Secret; certificate?: Secret }
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

/** Parameters that wallets of one technology are made from. */
interface Kind {
  /** Beside `walletPassword`. */
  known: readonly string[] | 'any';
  /** Those of `known` that the adapter is told. */
  told: readonly string[] | 'all';
  check(given: Parameters, refuse: Refuse): void;
  source(given: Parameters): KeySource;
}

const maxPassword = 1_024;
const maxName = 256;
const maxAttributes = 4_096;

/** Of an identity that is enrolled; the adapter itself says which do not go together. */
const plainTexts = ['enrollmentId', 'enrollmentSecret', 'mspId', 'affiliation', 'attributes'];

const kinds: Record<Technology | 'remote', Kind> = {
  /** A plugin that keeps the keys itself decides which it takes: it is told everything but the password. */
  remote: {
    known: 'any',
    told: 'all',
    check: () => {},
    source: () => ({ kind: 'new' }),
  },
  ethereum: {
    known: ['privateKey', 'keystore', 'keystorePassword'],
    told: [],
    check(given, refuse) {
      if (given.has('privateKey') && given.has('keystore')) {
        refuse('keystore', 'and privateKey exclude each other: a wallet has one key');
      }
      if (given.has('keystore') && !given.has('keystorePassword')) {
        refuse('keystorePassword', 'is required with keystore');
      }
      if (!given.has('keystore') && given.has('keystorePassword')) {
        refuse('keystorePassword', 'goes with keystore only');
      }
    },
    source(given) {
      const privateKey = given.get('privateKey');
      const keystore = given.get('keystore');
      const password = given.get('keystorePassword');
      if (privateKey !== undefined) return { kind: 'private-key', privateKey };
      if (keystore !== undefined && password !== undefined) return { kind: 'keystore', keystore, password };
      return { kind: 'new' };
    },
  },
  'hyperledger-fabric': {
    known: ['certificate', 'privateKey', ...plainTexts],
    told: ['certificate', ...plainTexts],
    check(given, refuse) {
      for (const name of plainTexts) {
        const detail = textFault(given.get(name), name === 'attributes' ? maxAttributes : maxName);
        if (detail !== null) refuse(name, detail);
      }
      if (given.has('certificate') || given.has('privateKey')) {
        if (!given.has('certificate')) refuse('certificate', 'is required with privateKey');
        if (!given.has('privateKey')) refuse('privateKey', 'is required with certificate: its key, in PEM');
        for (const name of plainTexts.filter((one) => one !== 'mspId')) {
          if (given.has(name)) refuse(name, 'and certificate exclude each other: nobody is enrolled again');
        }
      } else if (given.has('enrollmentSecret') && !given.has('enrollmentId')) {
        refuse('enrollmentId', 'is required with enrollmentSecret');
      }
    },
    source(given) {
      const certificate = given.get('certificate');
      const privateKey = given.get('privateKey');
      if (certificate === undefined || privateKey === undefined) return { kind: 'new' };
      return { kind: 'private-key', privateKey, certificate };
    },
  },
};

/** JSON Pointer of a parameter in the body of createWallet. */
export function parameterPointer(name: string): string {
  return `/pluginParameters/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * Reads the parameters of a wallet on a ledger of one technology, or of a remote plugin.
 *
 * @throws Problem `invalid-request` naming every parameter that is missing, unknown or does not go with another;
 * never a value.
 */
export function readWalletParameters(
  technology: Technology | 'remote',
  given: Parameters,
  minPasswordLength: number,
): WalletParameters {
  const kind = kinds[technology];
  const issues: ProblemIssue[] = [];
  const refuse: Refuse = (name, detail) => issues.push({ pointer: parameterPointer(name), detail });
  for (const name of given.keys()) {
    if (kind.known === 'any' || name === 'walletPassword' || kind.known.includes(name)) continue;
    const known = ['walletPassword', ...kind.known].join(', ');
    refuse(name, `is not a parameter of this ledger; known are ${known}`);
  }
  const password = given.get('walletPassword');
  if (password === undefined) refuse('walletPassword', 'is required: the password of the new wallet');
  else {
    const detail = passwordFault(password, minPasswordLength);
    if (detail !== null) refuse('walletPassword', detail);
  }
  kind.check(given, refuse);
  if (issues.length > 0 || password === undefined) throw invalidRequest(issues);
  const forAdapter = Object.fromEntries(
    [...given].flatMap(([name, value]) => {
      const told = kind.told === 'all' ? name !== 'walletPassword' : kind.told.includes(name);
      return told ? [[name, value.reveal()]] : [];
    }),
  );
  return { password, source: kind.source(given), forAdapter };
}

function textFault(value: Secret | undefined, maximum: number): string | null {
  const text = value?.reveal();
  if (text === undefined) return null;
  if (text.length > maximum) return `must have at most ${maximum} characters`;
  const plain = /^[^\p{Cc}\p{Cs}]+$/u.test(text);
  return plain ? null : 'must be text that is not empty and has no control characters';
}

/** For people; null for a password that may be taken. Lengths are counted in characters, not in UTF-16 units. */
export function passwordFault(password: Secret, minimum: number): string | null {
  const { length } = Array.from(password.reveal());
  if (length < minimum) return `must have at least ${minimum} characters`;
  return length > maxPassword ? `must have at most ${maxPassword} characters` : null;
}
