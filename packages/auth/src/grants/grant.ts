import { OAuthError } from '../oauth-error.ts';

/** The application of a token request. */
export interface Client {
  readonly uid: string;
  readonly appId: string;
  readonly projectUid: string;
}

/** Who a token request speaks for, proven. */
export interface Subject {
  readonly serviceId: string;
  /** Project of the identity's account; null: a user, whose consent stands for it. */
  readonly projectUid: string | null;
  /** The `cred` claim of the token. */
  readonly cred: string;
}

/** The fields of a token request that have a value. */
export type TokenForm = ReadonlyMap<string, string>;

/** One `grant_type`. */
export interface Grant {
  /**
   * Null: not proven, for whatever reason; the caller is not told which.
   *
   * @param client null when it is unknown or disabled, or another one's ApplicationToken came along
   * @throws OAuthError `invalid_request` when a field is missing
   */
  prove(form: TokenForm, client: Promise<Client | null>): Promise<Subject | null>;
}

/** A field that the grant needs. @throws OAuthError `invalid_request` naming it */
export function field(form: TokenForm, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `The field ${name} is missing.`);
  return value;
}
