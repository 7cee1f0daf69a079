import type { Queries } from '@ledger-ops/store';
import { among } from '../rows/sql.ts';

/**
 * Condition: the action has one of the ids in a list, its own or the one that its sender chose. The latter is unique in
 * a project: to be asked together with the project.
 */
export function namedIn(dialect: Queries['dialect'], list: string): string {
  return `(${among(dialect, 'action.id', list)} OR ${among(dialect, 'action.given_id', list)})`;
}
