import type { Queries } from '@ledger-ops/store';
import { among } from '../rows/sql.ts';

/**
 * SQL condition: an action's own id, or the id that its sender chose, is in a list. Chosen ids are unique only within a
 * project, so combine this with a condition on the project.
 */
export function namedIn(dialect: Queries['dialect'], list: string): string {
  return `(${among(dialect, 'action.id', list)} OR ${among(dialect, 'action.given_id', list)})`;
}
