import { OAuthError } from '../oauth-error.ts';

/** Who a token request speaks for, proven. */
export interface Subject {
  readonly serviceId: string;
  /** Project of the identity's account. */
  readonly projectUid: string;
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
   * @throws OAuthError `invalid_request` when a field is missing
   */
  prove(form: TokenForm): Promise<Subject | null>;
}

/** A field that the grant needs. @throws OAuthError `invalid_request` naming it */
export function field(form: TokenForm, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `The field ${name} is missing.`);
  return value;
}
