import type { Caller, KnownApp } from './authenticate.ts';
import type { Grants } from './decide.ts';
import { createMemo, type Memo } from './memo.ts';
import type { KnownSession } from './sessions/sessions.ts';
import type { KeyRing } from './signing-keys.ts';

/** What is remembered of the database between two changes to access. */
export interface AccessState {
  /** By the hash of the application token. */
  readonly apps: Memo<KnownApp>;
  /** By identity, credential and the id of the access token. */
  readonly callers: Memo<Caller>;
  /** By identity, app and resource. */
  readonly grants: Memo<Grants>;
  /** Whether an identity holds any role, by its serviceId. */
  readonly rolesHeld: Memo<{ readonly any: boolean }>;
  /** By the hash of what the cookie holds. */
  readonly sessions: Memo<KnownSession>;
  keys(): Promise<KeyRing>;
}

/** Nothing remembered yet. The bounds keep it below some 50 MB. */
export function createAccessState(loadKeys: () => Promise<KeyRing>): AccessState {
  let ring: Promise<KeyRing> | undefined;
  return {
    apps: createMemo(5_000),
    callers: createMemo(20_000),
    grants: createMemo(50_000),
    rolesHeld: createMemo(10_000),
    sessions: createMemo(10_000),
    keys() {
      ring ??= loadKeys().catch((error: unknown) => {
        ring = undefined;
        throw error;
      });
      return ring;
    },
  };
}
