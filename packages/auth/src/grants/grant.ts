import type { Secret } from '@ledger-ops/base';
import { OAuthError } from '../tokens/oauth-error.ts';
import type { ClientRequest, TokenForm } from './client-authentication.ts';
import type { Clients } from './clients.ts';

/** The authenticated identity of a token request. */
export type Subject = {
  readonly serviceId: string;
  /** The `cred` claim of the token. */
  readonly cred: string;
} & (
  | {
      /** Project of the identity's account. */
      readonly projectUid: string;
    }
  | {
      /** The application that the user consented to. */
      readonly appUid: string;
      readonly refreshToken: Secret;
    }
);

/** The implementation of one `grant_type`. */
export interface Grant {
  /** Content of `client_secret`: an account's API token, or the application's token. */
  readonly secretOf: 'account' | 'application';
  /**
   * Returns null if the proof fails; the caller does not learn why.
   *
   * @param clients empty if the application is unknown, disabled or archived, or if the ApplicationToken
   * belongs to another one
   * @throws OAuthError `invalid_request` if a field is missing
   */
  prove(form: TokenForm, clients: Clients, request: Pick<ClientRequest, 'basic'>): Promise<Subject | null>;
}

/** Returns a required field. @throws OAuthError `invalid_request` that names a missing field */
export function field(form: TokenForm, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `The field ${name} is missing.`);
  return value;
}
