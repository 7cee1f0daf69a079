import { invalidRequest, type ProblemIssue } from '@ledger-ops/base';
import { keepsSecret } from './property-list.ts';

/**
 * The part of a member in a record's secrets: a `secret` itself; part of the `address`, which is all that says where
 * secrets go and who gets them there (URLs, hosts, trusted roots, certificates, names that they are shown under); or
 * `plain`, neither.
 */
export type MemberKind = 'address' | 'secret' | 'plain';

/** Members of a record by name; what is absent, it has not. */
type Members = Readonly<Record<string, unknown>>;

/** A change to a record that has secrets. */
export interface BoundChange {
  /** As the record is. */
  held: Members;
  /** As it is to be; a secret without a value is to stay as it is held. */
  next: Members;
  kindOf: (name: string) => MemberKind;
  /** Where the change names a member. */
  pointerOf: (name: string) => string;
}

/**
 * The one rule for write-only secrets: each is bound to the whole address of its record. A secret that a change does
 * not give anew is kept as long as every part of the address stays; else whoever may change the record, but does not
 * know the secret, could have it sent where they read it. A secret that is taken away is no matter.
 *
 * @returns the members as they are to be, with the secrets that are kept
 * @throws Problem `invalid-request` at each secret that is to be given again
 */
export function keepBoundSecrets({ held, next, kindOf, pointerOf }: BoundChange): Record<string, unknown> {
  const kept = Object.keys(next).filter(
    (name) => kindOf(name) === 'secret' && keepsSecret(next[name]) && Object.hasOwn(held, name),
  );
  const moved = [...new Set([...Object.keys(held), ...Object.keys(next)])].filter(
    (name) => kindOf(name) === 'address' && !isSame(held[name], next[name]),
  );
  if (kept.length > 0 && moved.length > 0) {
    const why = `must be given again, in full: ${moved.join(', ')} changes, and so where it is sent`;
    throw invalidRequest(kept.map((name): ProblemIssue => ({ pointer: pointerOf(name), detail: why })));
  }
  return { ...next, ...Object.fromEntries(kept.map((name) => [name, held[name]])) };
}

/** Values of members are JSON. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
