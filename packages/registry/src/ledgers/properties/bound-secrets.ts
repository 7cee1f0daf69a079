import { invalidRequest, type ProblemIssue } from '@ledger-ops/base';
import { keepsSecret } from './named-properties.ts';

/**
 * Role of a member in its record. `secret`: the value is a secret. `address`: the member determines
 * where secrets are sent and who receives them (URLs, hosts, trusted roots, certificates, server
 * names). `plain`: any other member.
 */
export type MemberKind = 'address' | 'secret' | 'plain';

/** Members of a record by name; missing members are absent. */
type Members = Readonly<Record<string, unknown>>;

/** A change to a record that has secrets. */
export interface BoundChange {
  /** The current members. */
  held: Members;
  /** The new members; a secret without a value keeps its current value. */
  next: Members;
  kindOf: (name: string) => MemberKind;
  /** JSON pointer of a member in the request. */
  pointerOf: (name: string) => string;
}

/**
 * Every write-only secret is bound to all address members of its record. A secret that the change does not
 * contain is kept only if no address member changes. Otherwise, a user who may change the record, but does
 * not know the secret, could have the secret sent to their own server. Removing a secret is always allowed.
 *
 * @returns the new members, with the kept secrets
 * @throws Problem `invalid-request` at each secret that must be sent again
 */
export function keepBoundSecrets({ held, next, kindOf, pointerOf }: BoundChange): Record<string, unknown> {
  const kept = Object.keys(next).filter(
    (name) => kindOf(name) === 'secret' && keepsSecret(next[name]) && Object.hasOwn(held, name),
  );
  const moved = [...new Set([...Object.keys(held), ...Object.keys(next)])].filter(
    (name) => kindOf(name) === 'address' && !isSame(held[name], next[name]),
  );
  if (kept.length > 0 && moved.length > 0) {
    const why = `must be sent again in full, because the change of ${moved.join(', ')} would send it to another address`;
    throw invalidRequest(kept.map((name): ProblemIssue => ({ pointer: pointerOf(name), detail: why })));
  }
  return { ...next, ...Object.fromEntries(kept.map((name) => [name, held[name]])) };
}

/** Whether two members, which are JSON values, are equal. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
