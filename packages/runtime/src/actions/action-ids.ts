import type { Queries } from '@ledger-ops/store';
import { among } from '../rows/sql.ts';

/**
 * SQL condition: a list contains an action's own id, or the id that the action's sender chose. Chosen ids are
 * unique only within a project, so combine this with a condition on the project.
 */
export function namedIn(dialect: Queries['dialect'], list: string): string {
  return `(${among(dialect, 'action.id', list)} OR ${among(dialect, 'action.given_id', list)})`;
}
