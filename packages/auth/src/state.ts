import type { Session } from './login/types.ts';
import { createMemo, type Memo } from './memo.ts';
import type { KeyRing } from './tokens/signing-keys.ts';
import type { AppPrincipal, Principal, ResourceType } from './types.ts';

/** A project and where it stands. */
export type KnownProject = Pick<KnownApp, 'projectUid' | 'projectId' | 'organizationUid'>;

/** An enabled application and where it stands. */
export interface KnownApp extends AppPrincipal {
  readonly organizationUid: string;
}

/** An enabled identity that shows an enabled credential. */
export interface Caller {
  readonly identityType: Principal['identityType'];
}

/** Permissions that a caller's roles on a resource and above it grant. The sets are those of roles, shared by all. */
export interface Grants {
  readonly type: ResourceType;
  readonly identity: readonly ReadonlySet<string>[];
  readonly app: readonly ReadonlySet<string>[];
  /** It, or something above it, is archived: of all that roles grant only reading is left. */
  readonly archived: boolean;
  /** The deployer shares it: everybody may see it, whatever their roles. */
  readonly shared: boolean;
}

/** A session as it is remembered. */
export interface KnownSession extends Session {
  /** Milliseconds since the epoch; as far as this server knows. */
  lastUsedAt: number;
}

/** Memory of the database between two changes to access. */
export interface AccessState {
  /** By the hash of the application token. */
  readonly apps: Memo<KnownApp>;
  /** By uid. */
  readonly projects: Memo<KnownProject>;
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
