import type { Backoff } from '@ledger-ops/backoff';

/**
 * How long auth waits, bounds and remembers, in milliseconds. What a deployer sets (`AuthConfig`, `AdminConfig`) is used
 * in place of the first group. Tests move the clock that they give, or replace single times.
 */
export interface Timing {
  readonly accessToken: number;
  readonly signingKey: number;
  /** Of sessions: since the login, and since the last use. */
  readonly session: number;
  readonly sessionIdle: number;
  /** Of refresh tokens: since the login, and since the last use. */
  readonly refreshToken: number;
  readonly refreshTokenIdle: number;
  readonly initToken: number;
  readonly invitation: number;

  /** By which servers' clocks may differ, and for which one that just read the keys may sign with a retired one. */
  readonly clocks: number;
  /** For an authorization code to be used. */
  readonly code: number;
  /** For a form to stay open. */
  readonly form: number;
  /** For which clients keep the key set: a new key signs at once, and who does not know its `kid` fetches the set anew. */
  readonly keySet: number;
  /** That an assertion of a client may have left, and by which its clock may be ahead in `nbf`. */
  readonly assertion: { readonly longest: number; readonly ahead: number };
  /** Between two looks for what has expired. */
  readonly sweep: number;
  readonly logins: {
    /** After one failed login too many, of a user name and of a source. */
    readonly again: Backoff;
    /** After which a count is forgotten to which nothing was added. */
    readonly remembered: number;
    /** For which a source that logged in is known. */
    readonly known: number;
  };
  readonly mails: {
    /** After which a mail that was taken comes back, in case that its taker died: longer than any transport waits. */
    readonly taken: number;
    /** Between two tries: with twelve of them about a day in all. */
    readonly again: Backoff;
  };
  /** In which mails of invitations are counted: of an organization, and to one address. */
  readonly invitations: { readonly ofOrganization: number; readonly toAddress: number };
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export const defaultTiming: Timing = {
  accessToken: hour,
  signingKey: 90 * day,
  session: 12 * hour,
  sessionIdle: 30 * minute,
  refreshToken: 30 * day,
  refreshTokenIdle: 7 * day,
  initToken: 7 * day,
  invitation: 7 * day,

  clocks: minute,
  code: minute,
  form: 2 * hour,
  keySet: 5 * minute,
  assertion: { longest: 5 * minute, ahead: 10 * second },
  sweep: 10 * minute,
  logins: { again: { first: minute, longest: hour }, remembered: day, known: 30 * day },
  mails: { taken: 2 * minute, again: { first: 30 * second, longest: day } },
  invitations: { ofOrganization: hour, toAddress: day },
};

/** A deployer's setting in seconds, or the usual time. */
export function millisecondsOf(setting: number | undefined, usual: number): number {
  return setting === undefined ? usual : setting * second;
}
