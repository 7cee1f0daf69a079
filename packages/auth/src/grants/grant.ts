import type { Secret } from '@ledger-ops/base';
import { OAuthError } from '../tokens/oauth-error.ts';
import type { ClientRequest, TokenForm } from './client-authentication.ts';
import type { Clients } from './clients.ts';

/** Who a token request speaks for, proven. */
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
      /** A user, and the application that they consented to. */
      readonly appUid: string;
      readonly refreshToken: Secret;
    }
);

/** One `grant_type`. */
export interface Grant {
  /** Whose `client_secret` it takes: an account's API token, or the application's token. */
  readonly secretOf: 'account' | 'application';
  /**
   * Null: not proven, for whatever reason; the caller is not told which.
   *
   * @param clients none when it is unknown, disabled or archived, or another one's ApplicationToken came along
   * @throws OAuthError `invalid_request` when a field is missing
   */
  prove(form: TokenForm, clients: Clients, request: Pick<ClientRequest, 'basic'>): Promise<Subject | null>;
}

/** A field that the grant needs. @throws OAuthError `invalid_request` naming it */
export function field(form: TokenForm, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `The field ${name} is missing.`);
  return value;
}
