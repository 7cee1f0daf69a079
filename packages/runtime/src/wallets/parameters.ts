import { invalidRequest, type ProblemIssue, type Secret } from '@ledger-ops/base';

/** Where a new wallet's key comes from. */
export type KeySource =
  | { kind: 'new' }
  | { kind: 'private-key'; privateKey: Secret }
  | { kind: 'keystore'; keystore: Secret; password: Secret };

/** The parameters of createWallet, checked as far as texts can be. */
export interface WalletParameters {
  password: Secret;
  source: KeySource;
}

const maxPassword = 1_024;
const known = ['walletPassword', 'privateKey', 'keystore', 'keystorePassword'];

/** JSON Pointer of a parameter in the body of createWallet. */
export function parameterPointer(name: string): string {
  return `/pluginParameters/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * Reads the parameters of a wallet with a secp256k1 key.
 *
 * @throws Problem `invalid-request` naming every parameter that is missing, unknown or does not go with another;
 * never a value.
 */
export function readWalletParameters(
  parameters: ReadonlyMap<string, Secret>,
  minPasswordLength: number,
): WalletParameters {
  const issues: ProblemIssue[] = [];
  const refuse = (name: string, detail: string) => issues.push({ pointer: parameterPointer(name), detail });
  for (const name of parameters.keys()) {
    if (!known.includes(name))
      refuse(name, `is not a parameter of this ledger; known are ${known.join(', ')}`);
  }
  const password = parameters.get('walletPassword');
  if (password === undefined) refuse('walletPassword', 'is required: the password of the new wallet');
  else {
    const detail = passwordFault(password, minPasswordLength);
    if (detail !== null) refuse('walletPassword', detail);
  }
  const privateKey = parameters.get('privateKey');
  const keystore = parameters.get('keystore');
  const keystorePassword = parameters.get('keystorePassword');
  if (privateKey !== undefined && keystore !== undefined) {
    refuse('keystore', 'and privateKey exclude each other: a wallet has one key');
  }
  if (keystore !== undefined && keystorePassword === undefined) {
    refuse('keystorePassword', 'is required with keystore');
  }
  if (keystore === undefined && keystorePassword !== undefined) {
    refuse('keystorePassword', 'goes with keystore only');
  }
  if (issues.length > 0 || password === undefined) throw invalidRequest(issues);
  if (privateKey !== undefined) return { password, source: { kind: 'private-key', privateKey } };
  if (keystore !== undefined && keystorePassword !== undefined) {
    return { password, source: { kind: 'keystore', keystore, password: keystorePassword } };
  }
  return { password, source: { kind: 'new' } };
}

/** What is wrong with a new password, or null. Lengths are counted in characters, not in UTF-16 units. */
export function passwordFault(password: Secret, minimum: number): string | null {
  const { length } = Array.from(password.reveal());
  if (length < minimum) return `must have at least ${minimum} characters`;
  return length > maxPassword ? `must have at most ${maxPassword} characters` : null;
}
