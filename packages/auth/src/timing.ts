import type { Backoff } from '@ledger-ops/base/backoff';

/**
 * Timeouts, lifetimes and retention times of auth, in milliseconds. Settings of the deployer (`AuthConfig`,
 * `AdminConfig`) override the first group. Tests move the injected clock, or replace single times.
 */
export interface Timing {
  readonly accessToken: number;
  readonly signingKey: number;
  /** Lifetime of sessions: since the login, and since the last use. */
  readonly session: number;
  readonly sessionIdle: number;
  /** Lifetime of refresh tokens: since the login, and since the last use. */
  readonly refreshToken: number;
  readonly refreshTokenIdle: number;
  readonly initToken: number;
  readonly invitation: number;

  /**
   * Maximum clock difference between servers. For the same time, a server with a cached key set may
   * still sign with a key that another server has retired.
   */
  readonly clocks: number;
  /** Lifetime of an authorization code. */
  readonly code: number;
  /** Lifetime of a form. */
  readonly form: number;
  /**
   * How long clients may cache the key set. A new key signs immediately; clients that do not know its `kid`
   * fetch the set again.
   */
  readonly keySet: number;
  /**
   * Maximum remaining lifetime of a client's assertion, and how far the client's clock may be ahead in `nbf`.
   */
  readonly assertion: { readonly longest: number; readonly ahead: number };
  /** Interval between two cleanups of expired rows. */
  readonly sweep: number;
  readonly logins: {
    /** Backoff after too many failed logins of a user name or a source. */
    readonly again: Backoff;
    /** How long a count without new failures is kept. */
    readonly remembered: number;
    /** How long a source is treated as known after a login. */
    readonly known: number;
  };
  readonly mails: {
    /**
     * How long a claimed mail stays locked. Another server may then claim it, because the first one
     * may have died. Longer than any transport timeout.
     */
    readonly taken: number;
    /** Backoff between attempts; twelve attempts take about a day. */
    readonly again: Backoff;
  };
  /** Windows in which mailed invitations are counted: those of an organization, and those to one address. */
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

/** Returns a deployer's setting in seconds, or the default. */
export function millisecondsOf(setting: number | undefined, usual: number): number {
  return setting === undefined ? usual : setting * second;
}
