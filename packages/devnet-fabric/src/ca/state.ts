import type { X509Certificate } from 'node:crypto';
import { CaError, notAuthenticated } from './error.ts';
import type { CaIdentity, Identities } from './identities.ts';
import type { KeyPair } from './issue.ts';
import { commonNameOf } from './names.ts';
import { isSecret } from './secret.ts';

/** A CA and its stored data. */
export interface CaState {
  name: string;
  root: KeyPair;
  identities: Identities;
  affiliations: readonly string[];
}

/** Response of `/cainfo`. Its Idemix keys are empty, because Idemix is not supported. */
export interface CaInfo {
  CAName: string;
  /** Base64 of PEM, like all certificates in responses. */
  CAChain: string;
  IssuerPublicKey: string;
  IssuerRevocationPublicKey: string;
  Version: string;
}

const maxFailedLogins = 10;

/** Returns the response of `/cainfo`. `version` is the version of fabric-ca that this CA imitates. */
export function describe(state: CaState, version = '1.5.21'): CaInfo {
  return {
    CAName: state.name,
    CAChain: Buffer.from(state.root.certificate).toString('base64'),
    ...{ IssuerPublicKey: '', IssuerRevocationPublicKey: '', Version: version },
  };
}

/**
 * Checks an enrollment secret.
 * @throws CaError 401
 */
export async function authenticate(state: CaState, id: string, secret: string): Promise<CaIdentity> {
  const identity = state.identities.find(id);
  if (identity === undefined) throw notAuthenticated();
  if (identity.failedLogins >= maxFailedLogins)
    throw new CaError(
      401,
      'tooManyPasswords',
      `Incorrect password entered ${identity.failedLogins} times, max incorrect password limit of ${maxFailedLogins} reached`,
    );
  if (!(await isSecret(secret, identity.secret))) {
    state.identities.countFailedLogin(id);
    throw notAuthenticated();
  }
  state.identities.clearFailedLogins(id);
  return identity;
}

/**
 * Returns the identity that a certificate of this CA belongs to.
 * @throws CaError 401 if there is none
 */
export function holderOf(state: CaState, certificate: X509Certificate): CaIdentity {
  const identity = state.identities.find(commonNameOf(certificate));
  if (identity === undefined) throw notAuthenticated();
  return identity;
}
