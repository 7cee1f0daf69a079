import type { Session } from './login/types.ts';
import { createMemo, type Memo } from './memo.ts';
import type { KeyRing } from './tokens/signing-keys.ts';
import type { AppPrincipal, Principal, ResourceType } from './types.ts';

export type KnownProject = Pick<KnownApp, 'projectUid' | 'projectId' | 'organizationUid'>;

/** An enabled application and its organization. */
export interface KnownApp extends AppPrincipal {
  readonly organizationUid: string;
}

/** An enabled identity with an enabled credential. */
export interface Caller {
  readonly identityType: Principal['identityType'];
}

/**
 * The permissions that a caller's roles grant on a resource and its ancestors: one set per role, shared by
 * all callers with that role.
 */
export interface Grants {
  readonly type: ResourceType;
  readonly identity: readonly ReadonlySet<string>[];
  readonly app: readonly ReadonlySet<string>[];
  /** Whether the resource or one of its ancestors is archived. Then only read permissions remain. */
  readonly archived: boolean;
  /** Whether the deployer shares the resource. Then everyone may see it, regardless of their roles. */
  readonly shared: boolean;
}

/** A cached session. */
export interface KnownSession extends Session {
  /** Milliseconds since the epoch, as last known to this server. */
  lastUsedAt: number;
}

/** Cache of database contents, valid until the next change to access. */
export interface AccessState {
  /** Key: the hash of the application token. */
  readonly apps: Memo<KnownApp>;
  /** Key: the uid. */
  readonly projects: Memo<KnownProject>;
  /** Key: identity, credential and the id of the access token. */
  readonly callers: Memo<Caller>;
  /** Key: identity, app and resource. */
  readonly grants: Memo<Grants>;
  /** Whether an identity holds any role. Key: the serviceId. */
  readonly rolesHeld: Memo<{ readonly any: boolean }>;
  /** Key: the hash of the cookie's value. */
  readonly sessions: Memo<KnownSession>;
  keys(): Promise<KeyRing>;
}

/** Creates an empty cache. Its limits keep it below about 50 MB. */
export function createAccessState(loadKeys: () => Promise<KeyRing>): AccessState {
  let ring: Promise<KeyRing> | undefined;
  return {
    apps: createMemo(5_000),
    projects: createMemo(5_000),
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
